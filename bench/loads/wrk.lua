-- wrk runs this script. It prints the result as JSON. The argument after `--`, if there is one, is
-- the name of a file with the body of a POST.

function init(args)
  if args[1] == nil then return end
  local file = assert(io.open(args[1], "rb"))
  wrk.method = "POST"
  wrk.body = file:read("*a")
  file:close()
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"answers": %d, "micros": %d, "p50": %d, "p99": %d, "errors": %d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
