-- Sends calls in turn from many client addresses and counts answers that are no success.
-- Arguments: path and body of each call. Prints one line of JSON.

local CLIENTS = 16384 -- each asks so seldom within a minute that it stays within its limit

local requests, place, threads = {}, 0, {}
wrong = 0 -- global, so that done() can read it from each thread

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  wrk.headers["Content-Type"] = "application/json"
  for number = 0, CLIENTS - 1 do
    local call = number % (#args / 2) * 2
    wrk.headers["X-Forwarded-For"] = string.format("127.32.%d.%d", math.floor(number / 256), number % 256)
    requests[number + 1] = wrk.format("POST", args[call + 1], nil, args[call + 2])
  end
end

function request()
  place = place % CLIENTS + 1
  return requests[place]
end

function response(status, headers, body)
  if status ~= 200 or not string.find(body, '"isError":false', 1, true) then
    wrong = wrong + 1
  end
end

function done(summary, latency, _)
  local wrong_answers = 0
  for _, thread in ipairs(threads) do
    wrong_answers = wrong_answers + thread:get("wrong")
  end
  io.write(string.format('{"requests": %d, "wrong": %d}\n', summary.requests, wrong_answers))
end
