import { z } from 'zod'
import { durationMs } from './amount.ts'
import { link } from './link-schema.ts'
import { duration } from './notation.ts'

/** The keys of the hub itself. */
export const hub = z.strictObject({
  host: z.string().default('127.0.0.1').describe('Address the hub listens on.'),
  port: z.number().int().min(0).max(65_535).default(8898).describe('Port of the dashboard and the API.'),
  url: z.string().default('').describe('Address of the hub for workers; empty: host and port above.'),
  standby: z
    .boolean()
    .default(false)
    .describe(
      'If another hub uses the state, waits until that one ends, and takes over. With state in a folder, the folder must be on a volume of both with file locks.',
    ),
  state: z
    .enum(['folder', 's3'])
    .default('folder')
    .describe(
      'Where the hub stores agents, recordings, tokens, filters, targets and the switch: in its data folder, or in the bucket of tap.snapshots.s3, where a standby on another machine finds them.',
    ),
  stateKeyFile: z
    .string()
    .default('')
    .describe(
      'A file with 64 hexadecimal digits that seals the state in the bucket; all hubs of the bucket need the same.',
    ),
  takeOverAfter: duration
    .refine((text) => durationMs(text) >= 2000 && durationMs(text) <= 3_600_000)
    .default('30s')
    .describe('With state in the bucket: a hub that wrote nothing there for so long counts as gone.')
    .meta({ accepts: 'a duration from 2s to 1h' }),
  publicUrl: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .describe('The address that browsers use, if it differs from host and port above.')
    .meta({ accepts: 'an http or https address' }),
  allowedHosts: z
    .array(z.string().min(1).max(253))
    .default([])
    .describe('More host names for requests if the hub listens on a local address.'),
  link: link.prefault({}),
  plainHttp: z
    .enum(['local', 'anywhere'])
    .default('local')
    .describe(
      'With authentication, requests without TLS are accepted from this machine and from hub.trustedProxies only (local), or from any address.',
    ),
  trustedProxies: z
    .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]))
    .max(256)
    .default([])
    .describe(
      'Addresses, or blocks such as 10.0.0.0/8, of proxies that end TLS. A request of one counts as encrypted if its `X-Forwarded-Proto` is https.',
    )
    .meta({ accepts: 'a list of addresses and CIDR blocks' }),
  queriesAtOnce: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(32)
    .describe('Queries that one caller may run at the same time; more wait.'),
  mcpMaxChars: z
    .number()
    .int()
    .min(1000)
    .max(400_000)
    .default(16_000)
    .describe('Characters of an answer to an AI assistant at most; `max_chars` of a tool call overrides it.'),
})
