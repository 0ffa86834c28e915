// Small recordings and videos.
import type { Page } from 'playwright-core';

const samplesPerSecond = 8_000;

/** A tone in a WAV file with 8-bit samples. */
export function makeWav(seconds: number): Buffer {
  // A long recording is filled without a loop, which would block the service of the test.
  const wave = Buffer.from(Array.from({ length: 20 }, (_, i) => toneAt(i / 20)));
  const samples = Buffer.alloc(seconds * samplesPerSecond, wave);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // PCM
  header.writeUInt16LE(1, 22); // channels
  header.writeUInt32LE(samplesPerSecond, 24);
  header.writeUInt32LE(samplesPerSecond, 28); // bytes per second
  header.writeUInt16LE(1, 32); // bytes per sample
  header.writeUInt16LE(8, 34); // bits per sample
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** `share` of a period: 0 to 1. */
const toneAt = (share: number) => 128 + Math.round(60 * Math.sin(2 * Math.PI * share));

/** A video of about a second, which the browser encodes as WebM. */
export async function recordWebm(page: Page): Promise<Buffer> {
  const text = await page.evaluate<string>(`(async () => {
    const canvas = document.createElement('canvas');
    canvas.width = 320;
    canvas.height = 180;
    const context = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
    recorder.start();
    for (let frame = 0; frame < 20; frame++) {
      context.fillStyle = '#12304f';
      context.fillRect(0, 0, 320, 180);
      context.fillStyle = '#ffffff';
      context.font = '600 22px sans-serif';
      context.fillText('A tour of the workshop', 32, 92);
      context.fillStyle = 'hsl(' + frame * 18 + ' 80% 60%)';
      context.fillRect(32, 112, 16 + frame * 12, 8);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    recorder.stop();
    await stopped;
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return bytes.reduce((all, byte) => all + String.fromCharCode(byte), '');
  })()`);
  return Buffer.from(text, 'latin1');
}
