import { expect, test } from 'vitest'
import { configKeys } from './config-keys.ts'
import { configSchema } from './schema.ts'
import { isSecret, shownValue, withoutSecrets } from './without-secrets.ts'

test('a key that is called like a secret is hidden, or names a file', () => {
  const looksSecret = /(secret|password|token|credential|accessKey|secretKey)s?$/i
  const shown = configKeys.map(({ path }) => path).filter((path) => looksSecret.test(path) && !isSecret(path))
  // A choice of words: what becomes of credentials in calls.
  expect(shown).toEqual(['tap.redaction.credentials'])
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

test.each([
  ['https://joe:p@pa55@id.example.com/a', 'https://(hidden)@id.example.com/a'],
  ['https://joe:my pa55@id.example.com', 'https://(hidden)@id.example.com'],
  ['http://otel:4318/in?api_key=pa55', 'http://otel:4318/in?(hidden)'],
  ['http://joe:pa55@otel?key=pa55@x#pa55', 'http://(hidden)@otel?(hidden)'],
  ['https://id.example.com/@joe', 'https://id.example.com/@joe'],
  ['path matches "a?b#c@d"', 'path matches "a?b#c@d"'],
])('%s is shown as %s', (given, expected) => {
  expect(shownValue('tap.telemetry.otlp.endpoint', given)).toBe(expected)
})

test('a long text without an address costs little', () => {
  const text = '://'.repeat(20_000)
  expect(shownValue('tap.telemetry.otlp.kfl', text)).toBe(text)
})
