import { explain, NONE } from '../explain.ts'

export const smtp = [
  ...explain('smtp', 'smtp/auth', 'We do not report a line of a login as a command.', [
    'message',
    NONE,
    'D3JV mcgaG9yc2U=',
  ]),
  ...explain(
    'smtp',
    'smtp/auth',
    'We hide credentials.',
    ['argument', 'PLAIN ************************', 'PLAIN AGFubgB3cm9uZyBob3JzZQ=='],
    ['argument', 'LOGIN ****', 'LOGIN YW5u'],
  ),
  ...explain(
    'smtp',
    'smtp/lmtp',
    'LMTP answers DATA once for each recipient; we report one answer, the worst of them.',
    ['message', NONE, '250 250 2.1.5 stored', 2],
    ['text', '2.1.5 stored\n4.2.2 over quota\n2.1.5 stored', '4.2.2 over quota'],
  ),
  ...explain('smtp', 'smtp/pipelined', 'tshark reads BDAT and what follows as the message.', [
    'message',
    'request smtp BDAT',
    NONE,
    2,
  ]),
  ...explain(
    'smtp',
    'smtp/session',
    'After a refused DATA, tshark reads commands as lines of a message; it has no name for an unknown command.',
    ['message', '*', NONE, 5],
  ),
  ...explain(
    'smtp',
    'smtp/starttls',
    'tshark cuts every command after four letters.',
    ['message', 'request smtp STARTTLS', NONE],
    ['message', NONE, 'STAR TLS'],
  ),
]
