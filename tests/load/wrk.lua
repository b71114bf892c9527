-- Sends calls in turn, each from another of many client addresses, and checks every answer.
-- Arguments: a text that a right answer holds, then path and body of each call. Prints one line of JSON.

local CLIENTS = 16384 -- each asks so seldom within a minute that none comes near its limit

local requests, place, expected, threads = {}, 0, "", {}
wrong = 0 -- global, so that done() can read it from each thread

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  math.randomseed(os.time()) -- a short run begins with other clients than the one before it
  place, expected = math.random(0, CLIENTS - 1), args[1]
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Accept"] = "application/json, text/event-stream"
  wrk.headers["MCP-Protocol-Version"] = "2025-06-18"
  local calls = (#args - 1) / 2
  for number = 0, CLIENTS - 1 do
    local path = 2 + number % calls * 2
    wrk.headers["X-Forwarded-For"] = string.format("127.16.%d.%d", math.floor(number / 256), number % 256)
    requests[number + 1] = wrk.format("POST", args[path], nil, args[path + 1])
  end
end

function request()
  place = place % CLIENTS + 1
  return requests[place]
end

function response(status, headers, body)
  if status ~= 200 or not string.find(body, expected, 1, true) then
    wrong = wrong + 1
  end
end

function done(summary, latency, _)
  local errors, wrong_answers = summary.errors, 0
  for _, thread in ipairs(threads) do
    wrong_answers = wrong_answers + thread:get("wrong")
  end
  io.write(string.format(
    '{"requests": %d, "seconds": %f, "p50_ms": %f, "p99_ms": %f, "wrong": %d, "broken": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    wrong_answers, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
