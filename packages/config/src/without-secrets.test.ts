import { expect, test } from 'vitest'
import { configKeys } from './config-keys.ts'
import { configSchema } from './schema.ts'
import { isSecret, withoutSecrets } from './without-secrets.ts'

test('a key that is called like a secret is hidden, or names a file', () => {
  const looksSecret = /(secret|password|token|credential|accessKey|secretKey)s?$/i
  const shown = configKeys.map(({ path }) => path).filter((path) => looksSecret.test(path) && !isSecret(path))
  expect(shown).toEqual([])
})

test('secrets and credentials in addresses are replaced, and everything else stays', () => {
  const config = configSchema.parse({
    hub: { port: 9000 },
    tap: {
      auth: { oidc: { issuer: 'https://joe:pa55@id.example.com/a', audience: 'x', clientSecret: 'pa55' } },
      telemetry: { otlp: { endpoint: 'http://joe:pa55@otel:4318', headers: { 'x-key': 'pa55' } } },
    },
  })
  const shown = withoutSecrets(config)
  expect(JSON.stringify(shown)).not.toContain('pa55')
  expect(shown.hub.port).toBe(9000)
  expect(shown.tap.auth.oidc.issuer).toBe('https://(hidden)@id.example.com/a')
  expect(shown.tap.telemetry.otlp.headers).toEqual({ 'x-key': '(hidden)' })
  const plain = configSchema.parse({})
  expect(withoutSecrets(plain)).toEqual(plain)
})
