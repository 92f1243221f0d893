import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations, streamPath } from '@tapdeck/api'
import { chartValues, configKeys, configSchema, readYaml } from '@tapdeck/config'
import { protocols } from '@tapdeck/dissect'
import { compile, createCatalog } from '@tapdeck/kfl'
import { describe, expect, it } from 'vitest'
import { allCommands } from '../apps/cli/src/commands/index.ts'
import { removedKeys } from '../packages/config/src/removed-keys.ts'
import { shownCommands } from './docs-commands.ts'
import { anchorsOf, docsPages, inlineCode, relativeLinks, root } from './docs-pages.ts'

const commands = await allCommands()
const pages = docsPages()
const page = (file: string) => pages.find((one) => one.file === file)!
const catalog = createCatalog(protocols)

/** Each finding names its page, so that a failure reads as a list of what to correct. */
const findings = (find: (one: (typeof pages)[number]) => readonly string[]): string[] =>
  pages.flatMap((one) => find(one).map((what) => `${one.file}: ${what}`))

describe('the index', () => {
  const linked = (file: string) => new Set(relativeLinks(page(file)).map(({ target }) => target))

  it('docs/README.md links every page', () => {
    const missing = pages
      .map(({ file }) => file)
      .filter((file) => file.startsWith('docs/') && !file.startsWith('docs/decisions/'))
      .filter((file) => file !== 'docs/README.md' && !linked('docs/README.md').has(file))
    expect(missing).toEqual([])
  })

  it('docs/decisions/README.md links every decision', () => {
    const missing = pages
      .map(({ file }) => file)
      .filter((file) => file.startsWith('docs/decisions/') && !file.endsWith('README.md'))
      .filter((file) => !linked('docs/decisions/README.md').has(file))
    expect(missing).toEqual([])
  })
})

it('the architecture page lists every package and app', () => {
  const folders = ['packages', 'apps'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  )
  const listed = inlineCode(page('docs/architecture.md'))
  expect(folders.filter((folder) => !listed.includes(folder))).toEqual([])
})

it('every page begins with a title and then says what it is for', () => {
  expect(findings(({ text }) => (/^# .+\n\n[\w`*].+/.test(text) ? [] : [text.slice(0, 80)]))).toEqual([])
})

it('no page has marks of a merge conflict', () => {
  expect(findings(({ text }) => text.match(/^(?:<<<<<<<|>>>>>>>).*/gm) ?? [])).toEqual([])
})

it('every relative link and its anchor exist', () => {
  const broken = findings((one) =>
    relativeLinks(one).flatMap(({ target, anchor }) => {
      if (!existsSync(join(root, target))) return [`${target} does not exist`]
      const anchors = target.endsWith('.md') ? anchorsOf(page(target)) : []
      return anchor === undefined || anchors.includes(anchor) ? [] : [`${target} has no #${anchor}`]
    }),
  )
  expect(broken).toEqual([])
})

it('every file and folder that a page names exists', () => {
  const path = /^(?:packages|apps|scripts|test|deploy|bench|docs)\/[\w./-]+$/
  // The changelog and the decisions also name what was.
  const missing = findings((one) =>
    one.file === 'CHANGELOG.md'
      ? []
      : inlineCode(one).filter((code) => path.test(code) && !existsSync(join(root, code))),
  )
  expect(missing).toEqual([])
})

it('every page that a source file names exists', () => {
  const missing = ['packages', 'apps', 'deploy'].flatMap((parent) =>
    readdirSync(join(root, parent), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:tsx?|ya?ml|txt)$/.test(file) && !/node_modules|\/dist\//.test(file))
      .flatMap((file) => {
        const text = readFileSync(join(root, parent, file), 'utf8')
        const named = [...text.matchAll(/\bdocs\/[a-z/-]+\.md\b/g)].map(([name]) => name)
        return named
          .filter((name) => !existsSync(join(root, name)))
          .map((name) => `${parent}/${file}: ${name}`)
      }),
  )
  expect(missing).toEqual([])
})

it('every tapdeck command and option exists', () => {
  const unknown = findings((one) =>
    shownCommands(one).flatMap((words) => {
      if (words.length === 0 || /^(?:-|[A-Z…])/.test(words[0])) return []
      const [, command] =
        [2, 1]
          .map((count) => words.slice(0, count).join(' '))
          .map((name) => [name, commands.find((known) => known.name === name)] as const)
          .find(([, known]) => known !== undefined) ?? []
      const group = commands.some(({ name }) => name.startsWith(`${words[0]} `))
      if (command === undefined)
        return group && (words[1] === undefined || words[1] === '…') ? [] : [`tapdeck ${words.join(' ')}`]
      const short = Object.values(command.options).flatMap((option) => option.short ?? [])
      return words
        .filter((word) => /^\[?--?[a-z]/.test(word))
        .map((word) => word.replaceAll(/[[\]]|=.*/g, ''))
        .filter((word) => {
          if (word === '--help') return false
          return word.startsWith('--') ? !(word.slice(2) in command.options) : !short.includes(word.slice(1))
        })
        .map((word) => `tapdeck ${command.name} has no ${word}`)
    }),
  )
  expect(unknown).toEqual([])
})

it('every route exists', () => {
  const routes = Object.values(operations).flatMap(({ path, interfaces, aliases }) => [
    ...interfaces.map((name) => `/${name}${path}`),
    ...(aliases ?? []).map((alias) => alias.path),
  ])
  const known = [...routes, streamPath].map((route) => route.split('/'))
  const exists = (shown: string) => {
    const parts = shown.split('/')
    return known.some(
      (route) =>
        route.length === parts.length &&
        route.every((part, at) => part === parts[at] || (part.startsWith('{') && parts[at] !== '')),
    )
  }
  const unknown = findings(({ text }) =>
    [...text.matchAll(/(?<![a-z.@-])\/(?:api|mcp|delayed_dissection)[/.][\w/.<>{}-]+/g)]
      .map(([route]) => route.replace(/[/.]+$/, ''))
      .filter((route) => !exists(route)),
  )
  expect(unknown).toEqual([])
})

describe('the configuration', () => {
  it('has every key that a page names', () => {
    const known = configKeys.map(({ path }) => path)
    const files = /\.(?:ts|mjs|lock|yaml|json|md)$/
    const unknown = findings(({ file, text }) =>
      [...text.matchAll(/(?<![\w./-])(?:tap|hub)\.[a-z][A-Za-z0-9.]*[A-Za-z0-9]/g)]
        .map(([key]) => key)
        .filter((key) => !files.test(key) && !(file === 'CHANGELOG.md' && key in removedKeys))
        .filter(
          (key) =>
            !known.some((path) => `${path}.`.startsWith(`${key}.`) || `${key}.`.startsWith(`${path}.`)),
        ),
    )
    expect(unknown).toEqual([])
  })

  it.each([
    ['the configuration', configSchema, /^(?:tap|hub):/],
    ['the values of the chart', chartValues, /^(?:auth|link|networkPolicy|serviceMonitor):/],
  ] as const)('accepts every example in YAML: %s', (_, schema, begin) => {
    const examples = pages.flatMap(({ blocks }) =>
      blocks.filter(({ language, text }) => language === 'yaml' && begin.test(text)),
    )
    const refused = examples.flatMap(
      ({ text }) => schema.safeParse(readYaml('the page', text)).error?.message ?? [],
    )
    expect(examples).not.toEqual([])
    expect(refused).toEqual([])
  })
})

it('every filter compiles', () => {
  const refused = findings((one) => {
    const examples = one.blocks
      .filter(({ language }) => language === 'kfl')
      .flatMap(({ text }) => text.trim().split('\n'))
    const options = shownCommands(one).flatMap((words) =>
      words.flatMap((word, at) =>
        word === '--kfl' && !/^[A-Z…]*$/.test(words[at + 1] ?? '') ? [words[at + 1]] : [],
      ),
    )
    return [...examples, ...options].flatMap((kfl) => {
      try {
        compile(kfl, catalog, 0)
        return []
      } catch (error) {
        return [`${kfl}: ${error instanceof Error ? error.message : error}`]
      }
    })
  })
  expect(refused).toEqual([])
})
