import { z } from 'zod'
import { durationMs } from './amount.ts'
import { duration } from './notation.ts'

const MIN_ROTATE_MS = 60_000

/** The port of the hub that takes workers only, and only with TLS. */
export const link = z
  .strictObject({
    port: z
      .number()
      .int()
      .min(0)
      .max(65_535)
      .default(0)
      .describe(
        'A second port that takes workers only, with TLS; 0: none. Workers of other machines are then refused at hub.port.',
      ),
    names: z
      .array(z.string().min(1).max(253))
      .max(64)
      .default([])
      .describe('DNS names and addresses of this port in the certificate that the hub makes for it.'),
    cert: z
      .string()
      .default('')
      .describe('Certificate chain of this port in PEM; empty: the hub makes its own authority.'),
    key: z
      .string()
      .default('')
      .describe('Its private key in PEM. Both files are read again when they change.'),
    rotateAfter: duration
      .refine((text) => durationMs(text) >= MIN_ROTATE_MS)
      .default('365d')
      .describe(
        'Age at which the own authority is replaced. Both are trusted while workers get the new one: a quarter of this time, at most a day.',
      )
      .meta({ accepts: 'a duration of at least 1m' }),
    secretName: z
      .string()
      .max(253)
      .default('')
      .describe(
        "A Kubernetes Secret in the hub's namespace for the own authority; it must exist. Empty: with the state of the hub.",
      ),
    configMapName: z
      .string()
      .max(253)
      .default('')
      .describe(
        "A Kubernetes ConfigMap in the hub's namespace into which the hub writes what workers trust (ca.crt); it must exist. Empty: only link-ca.pem in the data folder.",
      ),
  })
  .superRefine(({ cert, key }, context) => {
    if ((cert === '') !== (key === ''))
      context.addIssue({
        code: 'custom',
        path: [cert === '' ? 'cert' : 'key'],
        input: '',
        params: { accepted: 'a file: a certificate and its key come together' },
      })
  })
