import { threadPlan } from './thread-plan.ts'

/** How one capture of a job is dissected. */
export interface PlannedCapture {
  /** Its place among the files of the job. */
  readonly at: number
  /** 0: in the job's own thread, where captures wait for each other. */
  readonly threads: number
}

/**
 * The captures of a job in the order of their turns, by the bytes that are read of each. The smallest come first: what
 * they found can be read early, and the large ones share the threads at the end.
 */
export function capturePlan(sizes: readonly number[], threads: number): PlannedCapture[] {
  const plan = threadPlan(sizes, threads)
  const order = [...sizes.keys()].sort((a, b) => sizes[a]! - sizes[b]!)
  return order.map((at) => ({ at, threads: plan[at]! }))
}
