-- wrk runs this script. It prints the result as JSON. The arguments after `--`, if there are any, are
-- the name of a file and what it contains: `body`, the body of each POST, or `requests`, complete
-- requests with a zero byte between them, each of which is sent once.

function init(args)
  if args[1] == nil then return end
  local file = assert(io.open(args[1], "rb"))
  local content = file:read("*a")
  file:close()
  if args[2] == "body" then
    wrk.method = "POST"
    wrk.body = content
    return
  end
  local next_request = content:gmatch("%Z+")
  function request() return assert(next_request(), "all requests are sent") end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"answers": %d, "micros": %d, "p50": %d, "p99": %d, "errors": %d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
