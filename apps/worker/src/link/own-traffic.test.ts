import { resolveConfig } from '@tapdeck/config'
import { expect, test } from 'vitest'
import { ownTraffic } from './own-traffic.ts'

const hub = new URL('ws://tapdeck:80')
const clients = { first: 32_768, last: 60_999, reserved: [] }
const configOf = (...set: string[]) => resolveConfig({ files: [], env: {}, set }).config

const bucket = 'tap.snapshots.storage=s3'

test('by default, only the port of the hub is left out', () => {
  expect(ownTraffic(configOf(), hub, clients)).toEqual({ exceptPorts: [8898], warnings: [] })
})

test.each([bucket, 'tap.index.engine=clickhouse', 'tap.telemetry.otlp.enabled=true'])(
  'with %s, the source ports of own connections are left out',
  (set) => {
    expect(ownTraffic(configOf(set), hub, clients)).toEqual({
      exceptPorts: [8898],
      exceptClients: { first: 28_864, last: 28_927 },
      warnings: [],
    })
  },
)

test('what clients of other programs may use too is recorded, with a warning', () => {
  const all = { first: 1024, last: 65_000, reserved: [] }
  const { exceptClients, warnings } = ownTraffic(configOf(bucket), hub, all)
  expect(exceptClients).toBeUndefined()
  expect(warnings).toEqual([
    expect.stringContaining('Traffic of port 8898 (the hub) is not recorded'),
    expect.stringContaining('are recorded, because tap.capture.ownPorts (28864 to 28927) is within'),
  ])
})

test('nothing is left out on request', () => {
  expect(ownTraffic(configOf('tap.capture.captureSelf=true'), hub, clients)).toEqual({
    exceptPorts: [],
    warnings: [],
  })
  expect(ownTraffic(configOf(bucket, 'tap.capture.ownPorts='), hub, clients)).toEqual({
    exceptPorts: [8898],
    warnings: [],
  })
})

test('probes of the cluster are left out', () => {
  expect(ownTraffic(configOf('tap.probePort=8896'), hub, clients).exceptPorts).toEqual([8898, 8896])
})
