import { expect, test } from 'vitest'
import { printConfig } from './print-config.ts'
import { resolveConfig } from './resolve-config.ts'

test('what is printed is a values file that gives the same configuration', () => {
  const { config } = resolveConfig({
    files: [],
    env: {},
    set: ['tap.capture.dissection.stopAfter=0,hub.port=1'],
  })
  const files = [{ name: 'printed.yaml', text: printConfig(config) }]
  expect(resolveConfig({ files, env: {}, set: [] }).config).toEqual(config)
})

test('secrets are not printed', () => {
  const { config } = resolveConfig({
    files: [],
    env: {},
    set: ['tap.auth.oidc.clientSecret=hush,tap.auth.oidc.clientId=x,tap.auth.oidc.issuer=https://id.example'],
  })
  expect(printConfig(config)).not.toContain('hush')
})
