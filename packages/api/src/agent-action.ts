import { z } from 'zod'
import { MAX_FILTER } from './max-filter.ts'
import { duration, thingName } from './notation.ts'

/** What a label of an agent's metric may be taken from. */
const agentLabels = [
  'proto',
  'method',
  'status',
  'error',
  'src.ns',
  'src.svc',
  'src.pod',
  'src.node',
  'dst.ns',
  'dst.svc',
  'dst.pod',
  'dst.node',
] as const

const metricName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,62}$/,
    'a metric is 1 to 63 of a-z 0-9 _ and begins with a letter; it is shown as tapdeck_agent_<name>',
  )

const webhook = z
  .object({
    kind: z.literal('webhook'),
    url: z.url({ protocol: /^https?$/, error: 'a webhook goes to an http or https address' }).max(2048),
    secret: z
      .string()
      .min(8)
      .max(1024)
      .optional()
      .describe('Signs each body: X-Tapdeck-Signature is HMAC-SHA256 of "<timestamp>.<body>"'),
  })
  .strict()
  .refine(({ url }) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '', {
    message: 'credentials do not belong into the address of a webhook',
    path: ['url'],
  })

const metric = z
  .object({
    kind: z.literal('metric'),
    type: z.enum(['counter', 'histogram']),
    name: metricName,
    labels: z.array(z.enum(agentLabels)).max(4).default([]),
    buckets: z
      .array(z.number().positive())
      .min(1)
      .max(30)
      .refine((list) => list.every((bound, at) => at === 0 || bound > list[at - 1]!), {
        message: 'buckets rise',
      })
      .optional()
      .describe('Of a histogram of latencies, in milliseconds'),
  })
  .strict()

const logLine = z
  .object({ kind: z.literal('log'), level: z.enum(['info', 'warn', 'error']).default('info') })
  .strict()

const recording = z
  .object({
    kind: z.literal('recording'),
    do: z.enum(['start', 'stop', 'note']),
    recording: thingName.refine((name) => name.length <= 60, { message: 'at most 60 characters' }),
    kfl: z.string().max(MAX_FILTER).default('').describe('What a started recording keeps'),
    duration: duration.optional(),
  })
  .strict()

const script = z
  .object({
    kind: z.literal('script'),
    source: z
      .string()
      .min(1)
      .max(262_144)
      .describe(
        'JavaScript that defines onCall(call); emit({log}|{metric, value}|{webhook}) is all it can reach',
      ),
  })
  .strict()

/** What an agent does on a match. */
export const agentAction = z.discriminatedUnion('kind', [webhook, metric, logLine, recording, script])

export type AgentAction = z.output<typeof agentAction>
