import { expect, test } from 'vitest'
import { ConfigError } from './config-error.ts'
import type { ConfigSources } from './config-sources.ts'
import { resolveConfig, serviceLinks } from './resolve-config.ts'

const resolve = (sources: Partial<ConfigSources>) =>
  resolveConfig({ files: [], env: {}, set: [], ...sources }).config

function problemsOf(sources: Partial<ConfigSources>) {
  try {
    resolve(sources)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  throw new Error('the configuration was accepted')
}

test('without any source the defaults hold', () => {
  const config = resolve({})
  expect(config.hub).toMatchObject({ host: '127.0.0.1', port: 8898 })
  expect(config.tap.capture.dissection).toMatchObject({ enabled: true, stopAfter: '5m' })
  expect(config.tap.auth).toMatchObject({ enabled: false, defaultRole: 'svc-admin' })
})

test('later files win over earlier ones, key by key', () => {
  const config = resolve({
    files: [
      { name: 'a.yaml', text: 'hub: {port: 1, host: 0.0.0.0}\ntap: {namespaces: [a, b]}' },
      { name: 'b.yaml', text: 'hub: {port: 2}\ntap: {namespaces: [c]}' },
    ],
  })
  expect(config.hub).toMatchObject({ port: 2, host: '0.0.0.0' })
  expect(config.tap.namespaces).toEqual(['c'])
})

test('an option beats --set, which beats the environment, which beats files', () => {
  const files = [{ name: 'a.yaml', text: 'hub: {port: 1}' }]
  const env = { TAPDECK_PORT: '2' }
  const set = ['hub.port=3']
  expect(resolve({ files }).hub.port).toBe(1)
  expect(resolve({ files, env }).hub.port).toBe(2)
  expect(resolve({ files, env, set }).hub.port).toBe(3)
  expect(resolve({ files, env, set, flags: { port: '4' } }).hub.port).toBe(4)
})

test('environment and options reach their keys', () => {
  const config = resolve({
    env: { TAPDECK_HOST: '0.0.0.0', TAPDECK_DATA: '/var/lib/tapdeck', TAPDECK_PORT: '' },
    flags: { interface: ['lo', 'eth0,eth1'] },
  })
  expect(config.hub).toMatchObject({ host: '0.0.0.0', port: 8898 })
  expect(config.data).toBe('/var/lib/tapdeck')
  expect(config.tap.capture.interfaces).toEqual(['lo', 'eth0', 'eth1'])
})

test('--set changes one item of a list that a file gave', () => {
  const config = resolve({
    files: [{ name: 'a.yaml', text: 'tap: {namespaces: [a, b]}' }],
    set: ['tap.namespaces[1]=c'],
  })
  expect(config.tap.namespaces).toEqual(['a', 'c'])
})

test('null goes back to the default', () => {
  const files = [{ name: 'a.yaml', text: 'hub: {port: 1}\ntap: null' }]
  expect(resolve({ files, set: ['hub.port=null'] }).hub.port).toBe(8898)
})

test('stopAfter takes durations and 0, and is kept as it was written', () => {
  for (const [text, expected] of [
    ['90s', '90s'],
    ['1h30m', '1h30m'],
    ['0', '0'],
  ])
    expect(
      resolve({ set: [`tap.capture.dissection.stopAfter=${text}`] }).tap.capture.dissection.stopAfter,
    ).toBe(expected)
})

test('durations of more than a hundred years are refused', () => {
  for (const key of ['tap.capture.dissection.stopAfter', 'tap.auth.session.idle']) {
    expect(problemsOf({ set: [`${key}=36501d`] })).toMatchObject([
      { path: key, message: '"36501d" is not accepted' },
    ])
    expect(() => resolve({ set: [`${key}=36500d`] })).not.toThrow()
  }
})

test('a bad value is reported with path, value, what is accepted and the source', () => {
  expect(
    problemsOf({ files: [{ name: 'values.yaml', text: 'tap: {capture: {dissection: {stopAfter: soon}}}' }] }),
  ).toEqual([
    {
      path: 'tap.capture.dissection.stopAfter',
      message: '"soon" is not accepted',
      given: 'soon',
      accepted: 'a duration such as 90s, 5m, 1h30m, or 0 for never',
      from: 'values.yaml',
    },
  ])
})

test('a wrong BPF expression is refused with the place of the error', () => {
  expect(resolve({ set: ['tap.bpfOverride=tcp port 80 or 443'] }).tap.bpfOverride).toBe('tcp port 80 or 443')
  expect(problemsOf({ set: ['tap.bpfOverride=port 80 and tpc'] })).toMatchObject([
    { path: 'tap.bpfOverride', message: expect.stringMatching(/tpc.*character 13.*perhaps tcp/) },
  ])
  const ports = Array.from({ length: 400 }, (_, at) => 1000 + at).join(' or ')
  expect(problemsOf({ set: [`tap.bpfOverride=port ${ports}`] })).toMatchObject([
    { path: 'tap.bpfOverride', message: expect.stringContaining('4096') },
  ])
})

test('an unknown role is named, with the roles there are', () => {
  const [problem] = problemsOf({ set: ['tap.auth.defaultRole=svc-boss'] })
  expect(problem).toMatchObject({
    path: 'tap.auth.defaultRole',
    message: '"svc-boss" is not accepted',
    accepted: 'svc-admin, svc-realtime, svc-snapshot, svc-viewer',
    from: '--set tap.auth.defaultRole=svc-boss',
  })
})

test.each([
  ['hub.port=99999', 'hub.port', 'a whole number from 0 to 65535'],
  ['hub.port=http', 'hub.port', 'a whole number from 0 to 65535'],
  ['tap.capture.dissection.enabled=yes', 'tap.capture.dissection.enabled', 'true or false'],
  [
    'tap.capture.raw.storageSize=big',
    'tap.capture.raw.storageSize',
    'a size such as 500Mi, 1Gi or a number of bytes',
  ],
  ['tap.namespaces={a,1}', 'tap.namespaces[1]', 'a list of texts'],
  ['tap.namespaces=a', 'tap.namespaces', 'a list of texts'],
  ['tap.regex=(shop', 'tap.regex', 'a regular expression such as ^shop-'],
  ['logLevel=loud', 'logLevel', 'debug, info, warn, error'],
  ['tap.auth=on', 'tap.auth', 'a mapping of keys to values'],
])('--set %s says what %s accepts', (set, path, accepted) => {
  expect(problemsOf({ set: [set] })).toMatchObject([{ path, accepted, from: `--set ${set}` }])
})

test.each([
  ['tap.capture.disection.enabled=true', 'tap.capture.disection', 'did you mean tap.capture.dissection?'],
  [
    'tap.capture.dissection.enable=true',
    'tap.capture.dissection.enable',
    'did you mean tap.capture.dissection.enabled?',
  ],
  ['stopAfter=1m', 'stopAfter', 'did you mean tap.capture.dissection.stopAfter?'],
  ['tap.port=1', 'tap.port', 'did you mean hub.port?'],
  [
    'tap.capture.stopped=true',
    'tap.capture.stopped',
    'use tap.capture.dissection.enabled, with the opposite value',
  ],
  ['tap.proxy.front.port=80', 'tap.proxy', 'use hub.port'],
])('--set %s: the unknown key %s gets a way on', (set, path, suggestion) => {
  expect(problemsOf({ set: [set] })).toMatchObject([{ path, suggestion, from: `--set ${set}` }])
})

test('an unknown key without a similar one gets the list of possible keys', () => {
  expect(problemsOf({ set: ['zzzzzzzzzz=1'] })[0]).not.toHaveProperty('suggestion')
  expect(problemsOf({ set: ['tap.capture.raw.zzzzzzzzzz=1'] })).toMatchObject([
    { accepted: 'enabled, storageSize' },
  ])
})

test('all problems are reported at once, each with its source', () => {
  const problems = problemsOf({
    files: [
      { name: 'broken.yaml', text: 'a: [1' },
      { name: 'list.yaml', text: '- 1' },
      { name: 'twice.yaml', text: 'data: a\ndata: b' },
    ],
    env: { TAPDECK_PORT: 'x' },
    set: ['hub.host'],
  })
  expect(problems.map(({ from }) => from)).toEqual([
    'broken.yaml',
    'list.yaml',
    'twice.yaml',
    '--set hub.host',
    'TAPDECK_PORT',
  ])
})

test('the message of the error reads as lines for people', () => {
  expect(() => resolve({ set: ['tap.auth.defaultRole=x', 'tpa.x=1'] })).toThrow(
    'tap.auth.defaultRole: "x" is not accepted (from --set tap.auth.defaultRole=x); accepted: svc-admin, svc-realtime, svc-snapshot, svc-viewer\ntpa: unknown key (from --set tpa.x=1); accepted: tap, hub, data, logLevel; did you mean tap?',
  )
})

test('keys that JavaScript treats specially are keys like any other', () => {
  expect(problemsOf({ set: ['__proto__.polluted=1', 'constructor.x=1'] }).map(({ path }) => path)).toEqual([
    '__proto__',
    'constructor',
  ])
  expect(problemsOf({ files: [{ name: 'a.yaml', text: '__proto__: {polluted: 1}' }] })).toMatchObject([
    { path: '__proto__', message: 'unknown key' },
  ])
  expect({}).not.toHaveProperty('polluted')
})

test.each([
  ['tap.auth.roles.svc-x.capabilities={snapshot:read}', 'tap.auth.roles.svc-x', 'another name: svc- is kept'],
  ['tap.auth.roles.x.capabilities={mcp:use}', 'tap.auth.roles.x.capabilities[0]', 'dissection:control, '],
  ['tap.auth.roles.x.capabilities=snapshot:read', 'tap.auth.roles.x.capabilities', 'a list of texts'],
  ['tap.auth.roles.x.namespaces={}', 'tap.auth.roles.x.namespaces', 'leave it out for all'],
  ['tap.auth.roles.x.namespaces={A_b}', 'tap.auth.roles.x.namespaces[0]', 'a list of namespaces'],
  ['tap.auth.groupMapping.devs=svc-king', 'tap.auth.groupMapping.devs', 'svc-admin, svc-realtime'],
  ['tap.auth.defaultRole=team', 'tap.auth.defaultRole', 'svc-admin, svc-realtime, svc-snapshot, svc-viewer'],
  ['tap.auth.oidc.issuer=nope,tap.auth.oidc.audience=a', 'tap.auth.oidc.issuer', 'an http or https address'],
  ['tap.auth.oidc.issuer=https://id.example', 'tap.auth.oidc.audience', 'an audience, or a clientId'],
  ['tap.auth.oidc.clientId=x', 'tap.auth.oidc.issuer', 'the address of the issuer'],
  ['tap.tls.cert=a.pem', 'tap.tls.key', 'come together'],
  ['tap.capture.ownPorts=28864', 'tap.capture.ownPorts', 'two ports from 1024 on'],
  ['tap.capture.ownPorts=20-30', 'tap.capture.ownPorts', 'two ports from 1024 on'],
  ['tap.capture.ownPorts=1024-61023', 'tap.capture.ownPorts', 'at most 1024 ports'],
])('--set %s is refused at %s', (set, path, accepted) => {
  expect(problemsOf({ set: [set] })).toMatchObject([{ path, accepted: expect.stringContaining(accepted) }])
})

test('roles of the configuration can be mapped to, and be the default', () => {
  const { auth } = resolve({
    files: [
      {
        name: 'a.yaml',
        text: 'tap: {auth: {roles: {team: {capabilities: [dissection:live], namespaces: [shop]}}, groupMapping: {devs: team}, defaultRole: team}}',
      },
    ],
  }).tap
  expect(auth.roles.team).toEqual({ capabilities: ['dissection:live'], namespaces: ['shop'] })
  expect(auth.groupMapping).toEqual({ devs: 'team' })
})

test('a secret is never said back', () => {
  const [problem] = problemsOf({ set: ['tap.auth.oidc.clientSecret=12345'] })
  expect(problem).toMatchObject({ path: 'tap.auth.oidc.clientSecret', given: '(hidden)', from: '--set' })
  expect(JSON.stringify(problem)).not.toContain('12345')
})

test('a variable that Kubernetes set for a Service called tapdeck is ignored', () => {
  const env = { TAPDECK_PORT: 'tcp://10.96.0.5:80', TAPDECK_HOST: '::1' }
  expect(resolveConfig({ files: [], env, set: [] }).config.hub).toMatchObject({ port: 8898, host: '::1' })
  expect(serviceLinks(env)).toEqual(['TAPDECK_PORT'])
})
