import { expect, test } from 'vitest'
import { mayCapture, NO_NET_RAW } from './container-rights.ts'
import { type ContainerStatus, recorderState } from './container-state.ts'

const of = (state: ContainerStatus['state']) => recorderState([{ name: 'r', ...(state && { state }) }], 'r')

test('a container without a status waits', () => {
  expect(recorderState(undefined, 'r')).toMatchObject({ kind: 'waiting' })
  expect(of({ waiting: { reason: 'ContainerCreating' } })).toEqual({
    kind: 'waiting',
    reason: 'ContainerCreating',
  })
  expect(of({ running: {} })).toEqual({ kind: 'running' })
})

test.each(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName'])(
  'an image that cannot be pulled fails: %s',
  (reason) => {
    expect(of({ waiting: { reason, message: 'not found' } })).toMatchObject({
      kind: 'failed',
      message: 'the node cannot pull the image: not found',
      hint: expect.stringContaining('--image'),
    })
  },
)

test('a container that may not start fails with the words of the kubelet', () => {
  const message = 'container has runAsNonRoot and image will run as root'
  expect(of({ waiting: { reason: 'CreateContainerConfigError', message } })).toEqual({
    kind: 'failed',
    message: `the node cannot start the container: ${message}`,
  })
})

test('a recorder that has ended says why, by its last line', () => {
  expect(of({ terminated: { exitCode: 0 } })).toMatchObject({ kind: 'ended' })
  const message = `some line\ntapdeck recorder: ${NO_NET_RAW}\n`
  expect(of({ terminated: { exitCode: 3, message } })).toMatchObject({ kind: 'failed', message: NO_NET_RAW })
  expect(of({ terminated: { exitCode: 137, reason: 'OOMKilled' } })).toMatchObject({
    message: expect.stringContaining('memory of the pod'),
  })
})

test('NET_RAW is the 13th bit of the effective capabilities', () => {
  // What containerd gives to root by default, the same without NET_RAW, and what another user has.
  expect(mayCapture('Name:\tnode\nCapEff:\t00000000a80425fb\n')).toBe(true)
  expect(mayCapture('CapEff:\t00000000a80405fb\n')).toBe(false)
  expect(mayCapture('CapPrm:\t00000000a80425fb\nCapEff:\t0000000000000000\n')).toBe(false)
  expect(mayCapture('')).toBe(false)
})
