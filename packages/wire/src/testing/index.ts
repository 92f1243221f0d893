export { type BuiltPacket, Conversation, type ConversationOptions, ETHERNET, feed } from './conversation.ts'
export { follow, timed } from './follow.ts'
export * from './packet-builder.ts'
export { Recorder, type StreamEvent } from './recorder.ts'
