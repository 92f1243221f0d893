import { beforeEach, describe, expect, it } from 'vitest'
import { Endpoints } from './duckdb/endpoints.ts'
import { OpenFlows } from './open-flows.ts'
import { samplePeers } from './testing/sample-call.ts'
import { type SampleFlow, sampleFlow } from './testing/sample-flow.ts'

describe('open flows', () => {
  let flows: OpenFlows
  let endpoints: Endpoints

  beforeEach(() => {
    flows = new OpenFlows()
    endpoints = new Endpoints()
  })

  const touch = (flow: SampleFlow, chunk = 1, names = {}) => {
    const { src, dst } = samplePeers(flow, names)
    return flows.touch(flow, src, dst, endpoints, chunk)
  }
  const write = () => {
    const due = flows.takeDue()
    for (const open of due) open.written()
    return due.map(({ flow }) => flow.id)
  }

  it('are written when they begin, each time they have doubled, and when they close', () => {
    const flow = sampleFlow()
    const written: number[] = []
    for (let packet = 0; packet < 1000; packet++) {
      flow.directions[0].packets++
      touch(flow)
      if (write().length > 0) written.push(flow.directions[0].packets + 3)
    }
    expect(written).toEqual([8, 16, 32, 64, 128, 256, 512])
    flow.closed = 'fin'
    touch(flow)
    expect(write()).toEqual([4711])
  })

  it('are written at once when their handshake becomes known', () => {
    const flow = sampleFlow()
    touch(flow)
    write()
    if (flow.tcp) flow.tcp.handshake_us = 5
    touch(flow)
    expect(write()).toEqual([4711])
    touch(flow)
    expect(write()).toEqual([])
  })

  it('are forgotten a round after they closed', () => {
    const flow = sampleFlow()
    flow.closed = 'fin'
    const open = touch(flow)
    write()
    expect(touch(flow)).toBe(open)
    write()
    write()
    expect(touch(flow)).not.toBe(open)
  })

  it('are distinguished if their ids end alike, and are the same if only the object differs', () => {
    const [one, other] = [sampleFlow({ id: 5 }), sampleFlow({ id: 5 + 2 ** 40 })]
    const opened = [touch(one), touch(other)]
    expect(opened[0]).not.toBe(opened[1])
    expect([touch(one), touch(other)]).toEqual(opened)
    const again = sampleFlow({ id: 5 })
    expect(touch(again)).toBe(opened[0])
    expect(flows.find(5)).toBe(again)
    expect(write()).toEqual([5, 5 + 2 ** 40])
  })

  it('enter the next chunk with numbers that hold there, and are written there', () => {
    const flow = sampleFlow()
    const before = touch(flow)
    expect([before.clientId, before.serverId]).toEqual([1, 2])
    write()
    endpoints = new Endpoints([[1, { ip: 'x', pod: '', ns: '', svc: '', node: '', process: '', more: '' }]])
    flows.enterAll(endpoints, 2)
    expect([before.clientId, before.serverId, before.carried]).toEqual([2, 3, true])
    expect(write()).toEqual([4711])
  })

  it('get a new number when their names change', () => {
    const flow = sampleFlow()
    expect(touch(flow).clientId).toBe(1)
    expect(touch(flow, 1, { pod: 'web-1' }).clientId).toBe(3)
    expect(touch(flow, 1, { pod: 'web-1', labels: { app: 'web' } }).clientId).toBe(4)
  })

  it('are never more than a ceiling: the first gives way and says its last word', () => {
    flows = new OpenFlows(3)
    const first = sampleFlow({ id: 1 })
    touch(first)
    write()
    for (const id of [2, 3]) touch(sampleFlow({ id }))
    expect(write()).toEqual([2, 3])
    touch(sampleFlow({ id: 4 }))
    expect(write().sort()).toEqual([1, 4])
    first.directions[0].packets += 100
    expect(flows.unwritten(1)).toEqual([])
  })
})
