/**
 * Short options whose meaning depends on the program. By default the value after `-p` and `-u` is a secret; here are
 * the programs that use these letters for something else, and programs with other letters for secrets.
 */
const HARMLESS: Readonly<Record<'p' | 'u', ReadonlySet<string>>> = {
  p: new Set([
    ...[
      'cp',
      'git',
      'install',
      'ls',
      'lsof',
      'mkdir',
      'nc',
      'pgrep',
      'pkill',
      'ps',
      'rmdir',
      'rsync',
      'ssh',
      'tar',
    ],
    ...['top', 'touch'],
  ]),
  u: new Set([
    ...[
      'cp',
      'date',
      'diff',
      'du',
      'env',
      'git',
      'id',
      'journalctl',
      'ls',
      'pgrep',
      'pkill',
      'ps',
      'rsync',
      'sort',
    ],
    ...['sudo', 'tar', 'top', 'uniq'],
  ]),
}
/** Before the name of a script these are flags of the interpreter: `python -u app.py`, `node -p 1+1`. */
const INTERPRETERS = /^(?:python[\d.]*|perl|ruby|node|nodejs|bash|sh|dash|zsh)$/
const SHELLS = /^(?:ba|da|z|k|a)?sh$/
const SECRET_LETTERS: readonly (readonly [RegExp, string])[] = [
  [/^(?:mysql|mariadb|mycli|sshpass|7z|rar|unrar)/, 'p'],
  [/^redis-cli$/, 'a'],
  [/^ldap/, 'w'],
  [/^(?:mosquitto_|zip$|unzip$|sqlcmd$|bcp$|isql$)/, 'P'],
  [/^(?:smbclient|rpcclient|net)$/, 'U'],
  [/^snmp/, 'AXc'],
  [/^curl$/, 'uUEb'],
]

/** Single words that begin with a p and are options of their own: `find -print`, `terraform -parallelism=4`. */
const WORDS_WITH_P =
  /^p(?:rint\w*|ort|ath|rofile|roto\w*|rune|erm|id\w*|roject|refix|lugins?|arallel\w*|rogress|ublish|ackages?|rivileged|olicy|ool|roperty|attern)(?:=|$)/

/** The program that a list of arguments starts, as far as it was read. */
export class Program {
  readonly #name: string
  /** Secret letters of this program, and of those that it starts: `docker exec db mysql -pVALUE`. */
  #letters = ''
  #onlyOptions = true

  constructor(first: string) {
    this.#name = baseName(first)
    this.#know(this.#name)
  }

  read(word: string): void {
    if (word.startsWith('-')) return
    this.#onlyOptions = false
    this.#know(baseName(word))
  }

  /** Whether the next word is a secret: after `-p` and `-u`, after `-a` of redis-cli, after `-sSu` of curl. */
  hidesNext(word: string): boolean {
    const letter = word.at(-1)!
    if (/^-[A-Za-z]$/.test(word)) return this.#isSecret(letter)
    return /^-[A-Za-z]{2,6}$/.test(word) && this.#letters.includes('E') && this.#letters.includes(letter)
  }

  /** Whether what follows the letter in this word is a secret: `-pVALUE`, `-uUSER:VALUE`. */
  hidesRest(word: string): boolean {
    const [, letter = '', rest = ''] = /^-([A-Za-z])([^-][\s\S]*|-[\s\S]+)$/.exec(word) ?? []
    if (rest === '' || !this.#isSecret(letter)) return false
    if (letter !== 'p') return rest.includes(':') || letter === 'a'
    return this.#letters.includes('p') || !WORDS_WITH_P.test(word.slice(1))
  }

  /** Whether a program of its own follows: `sh -c mkdir -p /tmp`. */
  beginsScript(word: string): boolean {
    return SHELLS.test(this.#name) && /^-[a-z]*c$/.test(word)
  }

  #isSecret(letter: string): boolean {
    if (this.#letters.includes(letter)) return true
    if (letter !== 'p' && letter !== 'u') return false
    return !HARMLESS[letter].has(this.#name) && !(this.#onlyOptions && INTERPRETERS.test(this.#name))
  }

  #know(name: string): void {
    for (const [programs, letters] of SECRET_LETTERS) if (programs.test(name)) this.#letters += letters
  }
}

function baseName(path: string): string {
  return path
    .replace(/^["']|["']$/g, '')
    .split('/')
    .at(-1)!
}
