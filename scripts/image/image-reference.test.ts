import { expect, it } from 'vitest'
import { parseReference, registryAddress } from './image-reference.mjs'
import { parsePlatforms } from './platforms.mjs'

it('reads registry, name and tag of an image', () => {
  expect(parseReference('registry.example:5000/team/tapdeck:1.2.3')).toEqual({
    registry: 'registry.example:5000',
    name: 'team/tapdeck',
    tag: '1.2.3',
  })
  expect(parseReference('localhost/tapdeck:1').registry).toBe('localhost')
})

it.each(['tapdeck:1', 'team/tapdeck:1', 'registry.example/tapdeck', 'registry.example/tapdeck:'])(
  'refuses %s: a registry is never guessed',
  (text) => expect(() => parseReference(text)).toThrow('REGISTRY/NAME:TAG'),
)

it('asks only this machine without TLS', () => {
  expect(registryAddress('127.0.0.1:5000')).toBe('http://127.0.0.1:5000')
  expect(registryAddress('localhost')).toBe('http://localhost')
  expect(registryAddress('registry.example')).toBe('https://registry.example')
  expect(registryAddress('127.0.0.1.registry.example')).toBe('https://127.0.0.1.registry.example')
})

it('lists platforms in one order, and refuses others by name', () => {
  expect(parsePlatforms('linux/arm64,linux/amd64')).toEqual(['amd64', 'arm64'])
  expect(() => parsePlatforms('linux/s390x')).toThrow('There is no image for s390x')
})
