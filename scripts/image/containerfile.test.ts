import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { imageConfig } from './image-config.mjs'
import type { TarEntry } from './tar-archive.mjs'
import { writeFolder } from './write-folder.mjs'

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
const instructions = [...read('deploy/Containerfile').matchAll(/^([A-Z]+) (.*)$/gm)]
const all = (name: string) => instructions.filter(([, one]) => one === name).map(([, , text]) => text)
const config = imageConfig()

it('the Containerfile copies the one folder of npm run image -- --folder, and nothing else', () => {
  expect(all('FROM')).toEqual(['scratch'])
  expect(all('COPY')).toEqual([
    'dist/image/ /',
    `--chown=${config.User} dist/image/data/ ${Object.keys(config.Volumes)}/`,
  ])
  expect([...all('RUN'), ...all('ADD')]).toEqual([])
})

it('the Containerfile runs the image as npm run image does', () => {
  expect({
    User: all('USER')[0],
    Env: all('ENV'),
    Entrypoint: JSON.parse(all('ENTRYPOINT')[0]!),
    Cmd: JSON.parse(all('CMD')[0]!),
    WorkingDir: all('WORKDIR')[0],
    Volumes: Object.fromEntries(all('VOLUME').map((one) => [one, {}])),
    ExposedPorts: Object.fromEntries(all('EXPOSE').map((one) => [one, {}])),
    Labels: expect.objectContaining(
      Object.fromEntries(all('LABEL').map((one) => /^(\S+)="(.*)"$/.exec(one!)!.slice(1))),
    ),
  }).toEqual(config)
})

it('a build with the Containerfile gets that folder alone: no data, no checkout', () => {
  expect(read('.dockerignore').match(/^[^#\n].*$/gm)).toEqual(['*', '!dist/image/'])
})

it('the folder has the files of all layers with their rights, and nothing of an earlier one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-folder-test-'))
  try {
    const file = (path: string, mode: number) => ({ path, mode, content: Buffer.from(path) })
    const layers = (...entries: TarEntry[]) => [{ entries }]
    writeFolder(folder, layers(file('old', 0o644)))
    writeFolder(folder, [
      ...layers({ path: 'data/', mode: 0o700 }, { path: 'tmp/', mode: 0o1777 }),
      ...layers({ path: 'app/', mode: 0o755 }, file('app/run', 0o755), file('app/read', 0o644)),
    ])
    const found = readdirSync(folder, { recursive: true, withFileTypes: true }).map((one) => {
      const path = join(one.parentPath, one.name)
      return `${relative(folder, path)} ${(statSync(path).mode & 0o7777).toString(8)}`
    })
    expect(found.sort()).toEqual(['app 755', 'app/read 644', 'app/run 755', 'data 700', 'tmp 1777'])
    expect(readFileSync(join(folder, 'app/run'), 'utf8')).toBe('app/run')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
