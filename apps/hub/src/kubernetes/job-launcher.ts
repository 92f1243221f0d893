/** What is known of a job that was started, from outside of it. */
export type JobState =
  | { readonly kind: 'working' }
  /** It may still do its work. */
  | { readonly kind: 'waiting'; readonly reason: string }
  /** It will do nothing any more. */
  | { readonly kind: 'ended'; readonly reason: string }

/** What runs the jobs does not answer at the moment. Trying again may help. */
export class LauncherAway extends Error {
  override readonly name = 'LauncherAway'
}

/** Starts `tapdeck dissect-job` somewhere. A job is named by its snapshot and dissection. All throw `LauncherAway`. */
export interface JobLauncher {
  /** Does nothing where it was started before and has not ended. */
  start(snapshot: string, name: string): Promise<void>
  state(snapshot: string, name: string): Promise<JobState>
  /** Ends and forgets it. Does nothing where there is none. */
  remove(snapshot: string, name: string): Promise<void>
}
