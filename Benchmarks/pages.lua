-- The requests of kept.sh, as a script of wrk. Its arguments follow the URL and `--`:
--   each FILE START    the pages after the images whose ids FILE has, one after the other
--   popular FILE SEED  the same pages, by popularity: the page of rank n is asked for 1/n as often as the first one
--   comment ID SEED    a comment on an image every ten milliseconds

local function pages(file)
   local list = {}
   for id in io.lines(file) do
      list[#list + 1] = wrk.format("GET", "/v1/feed?limit=10&after_id=" .. id)
   end
   return list
end

local kinds = {}

function kinds.each(file, start)
   local list, last = pages(file), tonumber(start)
   request = function()
      last = last % #list + 1
      return list[last]
   end
end

function kinds.popular(file, seed)
   local list, sums, total = pages(file), {}, 0
   for rank = 1, #list do
      total = total + 1 / rank
      sums[rank] = total
   end
   math.randomseed(tonumber(seed))
   request = function()
      local sum, low, high = math.random() * total, 1, #list
      while low < high do
         local middle = math.floor((low + high) / 2)
         if sums[middle] < sum then low = middle + 1 else high = middle end
      end
      return list[low]
   end
end

function kinds.comment(id, seed)
   local count = 0
   wrk.headers["Content-Type"] = "application/json"
   request = function()
      count = count + 1
      local comment = string.format(
         '{"id":"%08X-0000-4000-8000-%012X","message":"Comment %d","username":"wrk"}', tonumber(seed), count, count)
      return wrk.format("POST", "/v1/image/" .. id .. "/comments", nil, comment)
   end
   delay = function() return 10 end
end

function init(arguments)
   kinds[arguments[1]](arguments[2], arguments[3])
end
