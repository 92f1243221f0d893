import { upperWord } from '../../text/text.ts'

const VERBS =
  'acl append asking auth bf.add bgrewriteaof bgsave bitcount bitfield bitfield_ro bitop bitpos blmove blmpop blpop brpop ' +
  'brpoplpush bzmpop bzpopmax bzpopmin client cluster command config copy dbsize debug decr decrby del discard dump echo ' +
  'eval eval_ro evalsha evalsha_ro exec exists expire expireat expiretime failover fcall fcall_ro flushall flushdb ' +
  'function geoadd geodist geohash geopos georadius georadius_ro georadiusbymember georadiusbymember_ro geosearch ' +
  'geosearchstore get getbit getdel getex getrange getset hdel hello hexists hexpire hexpireat hexpiretime hget hgetall ' +
  'hgetdel hgetex hincrby hincrbyfloat hkeys hlen hmget hmset hpersist hpexpire hpexpireat hpexpiretime hpttl hrandfield ' +
  'hscan hset hsetex hsetnx hstrlen httl hvals incr incrby incrbyfloat info keys lastsave latency lcs lindex linsert llen ' +
  'lmove lmpop lolwut lpop lpos lpush lpushx lrange lrem lset ltrim memory mget migrate module monitor move mset msetnx ' +
  'multi object persist pexpire pexpireat pexpiretime pfadd pfcount pfdebug pfmerge pfselftest ping psetex psubscribe ' +
  'psync pttl publish pubsub punsubscribe quit randomkey readonly readwrite rename renamenx replconf replicaof reset ' +
  'restore restore-asking role rpop rpoplpush rpush rpushx sadd save scan scard script sdiff sdiffstore select sentinel set setbit ' +
  'setex setnx setrange shutdown sinter sintercard sinterstore sismember slaveof slowlog smembers smismember smove sort ' +
  'sort_ro spop spublish srandmember srem sscan ssubscribe strlen subscribe substr sunion sunionstore sunsubscribe ' +
  'swapdb sync time touch ttl type unlink unsubscribe unwatch wait waitaof watch xack xackdel xadd xautoclaim xclaim ' +
  'xdel xdelex xgroup xinfo xlen xpending xrange xread xreadgroup xrevrange xsetid xtrim zadd zcard zcount zdiff ' +
  'zdiffstore zincrby zinter zintercard zinterstore zlexcount zmpop zmscore zpopmax zpopmin zrandmember zrange ' +
  'zrangebylex zrangebyscore zrangestore zrank zrem zremrangebylex zremrangebyrank zremrangebyscore zrevrange ' +
  'zrevrangebylex zrevrangebyscore zrevrank zscan zscore zunion zunionstore'

const known = new Set(VERBS.split(' '))

/** The commands of Redis 7 and 8. Those of modules have a dot in their names. */
export function isKnownVerb(lower: string): boolean {
  return known.has(lower) || /^[a-z]{1,12}\.[a-z]/.test(lower)
}

/** Words that other protocols of lines begin with, too: a line with one of them proves nothing. */
const shared = new Set(
  'append auth copy echo get hello help info move object ping quit rename reset select sync time touch type wait'.split(
    ' ',
  ),
)

export function isSharedVerb(lower: string): boolean {
  return shared.has(lower)
}

/** Where the key is, for the commands that do not have it right after the verb; 0: nowhere. */
const positions = new Map<string, number>()
for (const verb of (
  'PING ECHO AUTH HELLO SELECT QUIT RESET INFO DBSIZE FLUSHALL FLUSHDB SAVE BGSAVE BGREWRITEAOF LASTSAVE TIME ROLE ' +
  'MULTI EXEC DISCARD UNWATCH MONITOR SHUTDOWN CONFIG CLIENT CLUSTER COMMAND ACL LATENCY SLOWLOG MODULE SCRIPT ' +
  'FUNCTION DEBUG SWAPDB WAIT WAITAOF RANDOMKEY SCAN PUBSUB READONLY READWRITE ASKING REPLCONF PSYNC SYNC ' +
  'REPLICAOF SLAVEOF FAILOVER LOLWUT SENTINEL PFSELFTEST INVALIDATE'
).split(' '))
  positions.set(verb, 0)
for (const verb of 'OBJECT XGROUP XINFO MEMORY BITOP PMESSAGE ZUNION ZINTER ZDIFF ZINTERCARD SINTERCARD LMPOP ZMPOP'.split(
  ' ',
))
  positions.set(verb, 2)
for (const verb of 'EVAL EVALSHA EVAL_RO EVALSHA_RO FCALL FCALL_RO MIGRATE BLMPOP BZMPOP'.split(' '))
  positions.set(verb, 3)
/** After the word STREAMS. */
export const AFTER_STREAMS = -1
for (const verb of ['XREAD', 'XREADGROUP']) positions.set(verb, AFTER_STREAMS)

/** A command by its name. */
export class Verb {
  /** In upper case. */
  readonly name: string
  /** Which argument is its key; 0: none, `AFTER_STREAMS`. */
  readonly key: number
  /** Its third argument is a key only if the second, a count, is not 0. */
  readonly countsItsKeys: boolean
  /** What it says changes more than its own reply, or holds secrets. */
  readonly isSpecial: boolean

  constructor(name: string, key: number) {
    this.name = name
    this.key = key
    this.countsItsKeys = name.startsWith('EVAL') || name.startsWith('FCALL')
    this.isSpecial = SPECIAL.has(name)
  }
}

const SPECIAL = new Set(
  'ACL AUTH CLIENT CONFIG HELLO MIGRATE MONITOR PSYNC REPLCONF RESET SENTINEL SUBSCRIBE UNSUBSCRIBE PSUBSCRIBE PUNSUBSCRIBE SSUBSCRIBE SUNSUBSCRIBE'.split(
    ' ',
  ),
)
/** Of longer ones as much is looked at. */
export const MAX_VERB_LENGTH = 64
const SLOTS = 512
const MAX_CACHED_LENGTH = 8
const cached: (Verb | undefined)[] = new Array<Verb | undefined>(SLOTS).fill(undefined)
/** The letters that each was found by: its last four, and those before. In another case it has another place. */
const lastLetters = new Int32Array(SLOTS)
const firstLetters = new Int32Array(SLOTS)
const longVerbs = new Map<string, Verb>()

/** The command that `bytes[start, end)` names, in whatever case. */
export function verbAt(bytes: Uint8Array, start: number, end: number): Verb {
  if (end - start > MAX_CACHED_LENGTH) return verbNamed(upperWord(bytes, start, end))
  let first = 0
  let last = 0
  for (let i = start; i < end; i++) {
    first = (first << 8) | (last >>> 24)
    last = (last << 8) | bytes[i]
  }
  const hash = Math.imul(last ^ Math.imul(first, 0x9e3779b1), 0x85ebca6b)
  const slot = (hash >>> 16) & (SLOTS - 1)
  const known = cached[slot]
  if (known !== undefined && lastLetters[slot] === last && firstLetters[slot] === first)
    if (known.name.length === end - start)
      // Zeros before the first letter are no letters, but count.
      return known
  const verb = verbNamed(upperWord(bytes, start, end))
  // What has other letters than these may be longer in upper case.
  if (verb.name.length === end - start) {
    cached[slot] = verb
    lastLetters[slot] = last
    firstLetters[slot] = first
  }
  return verb
}

function verbNamed(name: string): Verb {
  const key = positions.get(name) ?? 1
  if (name.length <= MAX_CACHED_LENGTH) return new Verb(name, key)
  let verb = longVerbs.get(name)
  if (verb === undefined) {
    verb = new Verb(name, key)
    if (longVerbs.size < SLOTS) longVerbs.set(name, verb)
  }
  return verb
}
