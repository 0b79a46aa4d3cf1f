import { createHash } from 'node:crypto';

/** A Lua script with the name under which the server knows it. */
export interface Script {
  readonly source: string;
  readonly sha: string;
}

/**
 * What every script begins with. KEYS: the thread's hash, its tombstone. ARGV[1]: the name of this call, which comes
 * back with the answer; ARGV[2]: the layout of this release. `look` says what is there: {1, control, head}, or
 * {0, tombstone}, or the error of a key of another type.
 */
const prelude = `
local thread, tombstone = KEYS[1], KEYS[2]

local function look()
  local stored = redis.pcall('HMGET', thread, 'control', 'head')
  if stored.err then return stored end
  if stored[1] or redis.call('EXISTS', thread) == 1 then return { 1, stored[1], stored[2] } end
  local mark = redis.pcall('GET', tombstone)
  if type(mark) == 'table' and mark.err then return mark end
  return { 0, mark }
end

local function read_control(found)
  if found[1] ~= 1 or not found[2] then return nil end
  local ok, control = pcall(cjson.decode, found[2])
  if not ok or type(control) ~= 'table' or control.layout ~= tonumber(ARGV[2]) then return nil end
  if type(control.life) ~= 'table' or type(control.length) ~= 'number' then return nil end
  if type(control.open) ~= 'number' or type(control.generation) ~= 'number' then return nil end
  return control
end

local found = look()
if found.err then return found end
`;

/** {1, control, head} or {0, tombstone}. */
export const peekScript = define(`
return found
`);

/** As peek, with the variables and all messages, those stored ahead included. A missing one is nil. */
export const loadScript = define(`
local control = read_control(found)
if not control then return found end
local count = control.length + control.open
if control.length > redis.call('HLEN', thread) then return found end
local messages = {}
for first = 0, count - 1, 1000 do
  local names = {}
  for index = first, math.min(first + 999, count - 1) do
    names[#names + 1] = 'm:' .. control.generation .. ':' .. index
  end
  for _, message in ipairs(redis.call('HMGET', thread, unpack(names))) do messages[#messages + 1] = message end
end
found[4] = redis.call('HGET', thread, 'variables')
found[5] = messages
return found
`);

/** ARGV[3…]: names of at most 1,000 step fields. As peek, with their values. */
export const stepsScript = define(`
if not read_control(found) then return found end
found[4] = redis.call('HMGET', thread, unpack(ARGV, 3))
return found
`);

/**
 * ARGV: 3 'create' or 'update', 4 the etag or tombstone that has to be there, 5 the length that has to be there,
 * 6 milliseconds to live or '', 7 the prefix of the messages where they replace those stored or '', from 8 on pairs of
 * field and value, `control` last. {2} where it is saved, as peek where it is not.
 *
 * Redis does not roll back, so everything is checked before the first write, and `control` comes last: until it is
 * there, the rest lies beyond the record's length or in a generation that it is not in.
 */
export const saveScript = define(`
local admitted
if ARGV[3] == 'create' then
  admitted = found[1] == 0 and (not found[2] or found[2] == ARGV[4])
else
  local control = read_control(found)
  admitted = control and control.etag == ARGV[4] and control.length == tonumber(ARGV[5])
end
if not admitted then return found end

for first = 8, #ARGV, 2000 do
  redis.call('HSET', thread, unpack(ARGV, first, math.min(first + 1999, #ARGV)))
end
if ARGV[6] == '' then redis.call('PERSIST', thread) else redis.call('PEXPIRE', thread, ARGV[6]) end

if ARGV[7] ~= '' then
  local replaced = {}
  for _, field in ipairs(redis.call('HKEYS', thread)) do
    if field:sub(1, 2) == 'm:' and field:sub(1, #ARGV[7]) ~= ARGV[7] then replaced[#replaced + 1] = field end
  end
  for first = 1, #replaced, 1000 do
    redis.call('HDEL', thread, unpack(replaced, first, math.min(first + 999, #replaced)))
  end
end
return { 2 }
`);

/**
 * ARGV: 3 the life that may go or '', 4 the tombstone that has to be there without one or '', 5 the new tombstone,
 * 6 how many milliseconds it is kept. 1 where it is done, 0 where something else is there.
 */
export const buryScript = define(`
if ARGV[3] ~= '' then
  local control = read_control(found)
  if not control or control.life.born ~= ARGV[3] then return 0 end
  redis.call('UNLINK', thread)
elseif found[1] == 1 or (found[2] or '') ~= ARGV[4] then
  return 0
end
redis.call('SET', tombstone, ARGV[5], 'PX', ARGV[6])
return 1
`);

function define(body: string): Script {
  const source = `${prelude}
local function answer()${body}end
return { ARGV[1], answer() }
`;
  return Object.freeze({ source, sha: createHash('sha1').update(source).digest('hex') });
}
