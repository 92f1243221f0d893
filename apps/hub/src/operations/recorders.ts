import type { Handler } from './handler.ts'

export const admitRecorder: Handler<'admit_recorder'> = ({ expires, ...pod }, services, { caller }) => {
  const { recorderAdmission, redactions, now } = services
  // A recorder sees packets, which cannot be redacted.
  redactions.requireUnredacted(caller)
  return recorderAdmission.admit(pod, now() + expires)
}
