import { join } from 'node:path'
import { Problem } from '@tapdeck/api'
import { isCorrupt, isDamage, openIndex } from '@tapdeck/index'
import type { Catalog } from '@tapdeck/kfl'
import { answerQuestion } from '../query/answer-question.ts'
import type { CallSource } from '../query/call-source.ts'
import type { DissectionRecord } from './dissection-record.ts'
import { type DissectionRepository, keyOf } from './dissection-repository.ts'
import { ofSnapshot } from './dissection-task.ts'
import { OpenIndexes } from './open-indexes.ts'
import type { RunningJob } from './running-job.ts'
import { movedOn } from './thread-message.ts'

const READ_MEMORY = 512 * 1024 * 1024

/** What dissections can be asked: an index for each of their nodes. */
export class DissectionDatabases {
  readonly #repository: DissectionRepository
  readonly #catalog: Catalog
  readonly #open = new OpenIndexes()

  constructor(repository: DissectionRepository, catalog: Catalog) {
    this.#repository = repository
    this.#catalog = catalog
  }

  /** Of a running dissection, as far as it has got. Throws 409 where there is nothing to ask. */
  sources(record: DissectionRecord, job: RunningJob | undefined): CallSource[] {
    if (job && record.status === 'running') {
      const begun = [...record.nodes.entries()].filter(([file]) => job.state(file) !== undefined)
      if (begun.length > 0)
        return begun.map(([file, node]) => {
          const reader = this.#reader(record, node, file)
          return job.state(file) === 'completed' ? reader : whileRunning(job, file, reader)
        })
    }
    if (record.status === 'completed')
      return record.nodes.map((node, file) => this.#reader(record, node, file))
    const waiting = record.status === 'pending' || record.status === 'running'
    throw new Problem(
      409,
      'dissection_not_completed',
      `The dissection "${keyOf(record)}" is ${record.status}`,
      { hint: waiting ? 'Poll its status.' : 'Start another one.' },
    )
  }

  /** Closes what is open of a dissection, after those who read it now. */
  async forget(record: DissectionRecord): Promise<void> {
    for (const file of record.nodes.keys()) await this.#open.forget(this.#folder(record, file))
  }

  close(): Promise<void> {
    return this.#open.close()
  }

  #reader(record: DissectionRecord, node: string, file: number): CallSource {
    const folder = this.#folder(record, file)
    const nodeIp = record.node_ips[node]
    const options = {
      node,
      captureSource: record.capture_source,
      maxBytes: 0,
      memory: READ_MEMORY,
      readOnly: true,
      ...(nodeIp !== undefined && { nodeIp }),
      packetsSince: ofSnapshot,
    }
    return {
      node,
      ask: async (question, input) => {
        this.#repository.get(record.snapshot_name, record.dissection_name)
        return this.#open.use(
          folder,
          () =>
            openIndex(folder, options, this.#catalog).catch((error: unknown) => {
              throw isDamage(error) ? damaged(record, error) : error
            }),
          (index) =>
            answerQuestion(index, this.#catalog, question, input).catch((error: unknown) => {
              throw isCorrupt(error) ? damaged(record, error) : error
            }),
        )
      },
    }
  }

  #folder(record: DissectionRecord, file: number): string {
    return join(this.#repository.indexFolder(record), String(file))
  }
}

/** The packets of the snapshot are in other files. */
function damaged(record: DissectionRecord, cause: unknown): Problem {
  const { snapshot_name, dissection_name } = record
  const problem = new Problem(
    409,
    'dissection_damaged',
    `The files of the dissection "${keyOf(record)}" are damaged`,
    {
      hint: `Delete it with \`tapdeck dissection delete ${snapshot_name} ${dissection_name}\`, and dissect the snapshot again.`,
    },
  )
  problem.cause = cause
  return problem
}

/** The thread answers for a file at work; where it has moved on, the index is there to be read. */
function whileRunning(job: RunningJob, file: number, reader: CallSource): CallSource {
  return {
    node: reader.node,
    ask: (question, input) =>
      job.ask(file, question, input).catch((error) => {
        if (error instanceof Problem && error.code === movedOn && job.state(file) === 'completed')
          return reader.ask(question, input)
        throw error
      }),
  }
}
