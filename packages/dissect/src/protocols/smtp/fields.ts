import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  smtp_command: {
    type: 'string',
    path: 'smtp.command',
    doc: 'Verb of the command; GREETING for what a server says first',
    example: 'smtp_command == "RCPT"',
  },
  smtp_argument: {
    type: 'string',
    path: 'smtp.argument',
    doc: 'What follows the verb; credentials are hidden',
    example: 'smtp_argument.contains("SIZE=")',
  },
  smtp_from: {
    type: 'string',
    path: 'smtp.from',
    doc: 'Sender of the envelope, of MAIL and DATA',
    example: 'smtp_from.endsWith("@shop.example")',
  },
  smtp_to: {
    type: 'list',
    path: 'smtp.to',
    doc: 'Recipients of the envelope, of RCPT and DATA',
    example: '"ann@shop.example" in smtp_to',
  },
  smtp_subject: {
    type: 'string',
    path: 'smtp.subject',
    doc: 'Subject of the message, as it was sent',
    example: 'smtp_subject.contains("invoice")',
  },
  smtp_message_size: {
    type: 'integer',
    path: 'smtp.message_size',
    doc: 'Bytes of the message, or of the chunk',
    example: 'smtp_message_size > 1000000',
  },
  smtp_code: {
    type: 'integer',
    path: 'smtp.code',
    doc: 'Code of the reply',
    example: 'smtp_code >= 500',
  },
  smtp_enhanced_code: {
    type: 'string',
    path: 'smtp.enhanced_code',
    doc: 'Enhanced status code of the reply (RFC 3463)',
    example: 'smtp_enhanced_code == "5.1.1"',
  },
  smtp_text: {
    type: 'string',
    path: 'smtp.text',
    doc: 'Text of the reply, lines joined',
    example: 'smtp_text.contains("greylisted")',
  },
} as const satisfies Fields
