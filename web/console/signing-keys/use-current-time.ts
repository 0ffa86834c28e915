import { useEffect, useState } from 'react';

/** The time in milliseconds since 1970, which goes on by itself. */
export function useCurrentTime(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
