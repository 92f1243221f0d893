import { beforeEach, expect, test } from 'vitest'
import type { OwnEnd } from '../capture/kernel-filter.ts'
import { OwnTraffic } from './own-traffic.ts'

let leftOut: readonly OwnEnd[] | undefined
let own: OwnTraffic

beforeEach(() => {
  leftOut = undefined
  own = new OwnTraffic(8898, async (ends) => {
    leftOut = ends
  })
})

test('as long as the hub has not said where it is, its port is left out wherever it is', () => {
  expect(own.unknown).toEqual([{ port: 8898 }])
  own.reached('10.96.0.7')
  expect(leftOut).toBeUndefined()
})

test('behind the address of a service the hub has another, and both are left out, each with its port', () => {
  own.reached('10.96.0.7')
  own.told({ addresses: ['10.0.3.9', 'fd00::9'], port: 8080 })
  expect(leftOut).toEqual([
    { address: '10.0.3.9', port: 8080 },
    { address: 'fd00::9', port: 8080 },
    { address: '10.96.0.7', port: 8898 },
  ])
})

test('a hub on this machine is left out on loopback, of either family', () => {
  own.reached('::ffff:127.0.0.1')
  own.told({ addresses: [], port: 8898 })
  expect(leftOut).toEqual([
    { address: '127.0.0.1', port: 8898 },
    { address: '::1', port: 8898 },
    { address: '127.0.0.1', port: 8898 },
  ])
})

test('a port that others share is left out only where the hub itself has it', () => {
  const shared = new OwnTraffic(undefined, async (ends) => {
    leftOut = ends
  })
  expect(shared.unknown).toEqual([])
  shared.reached('203.0.113.80')
  shared.told({ addresses: ['10.0.3.9'], port: 8898 })
  expect(leftOut).toEqual([{ address: '10.0.3.9', port: 8898 }])
})

test('when the hub is gone it may come back elsewhere', () => {
  own.reached('10.96.0.7')
  own.told({ addresses: ['10.0.3.9'], port: 8898 })
  own.lost()
  expect(leftOut).toEqual([{ port: 8898 }])
  own.told({ addresses: ['10.0.4.1'], port: 8898 })
  expect(leftOut).toEqual([{ address: '10.0.4.1', port: 8898 }])
})

test('what is no address is left alone', () => {
  own.told({ addresses: ['hub.local', 'fe80::1%eth0', '10.0.0.1'], port: 8898 })
  expect(leftOut?.map(({ address }) => address)).toEqual(['10.0.0.1'])
})
