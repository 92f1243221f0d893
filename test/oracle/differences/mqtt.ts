import { explain, NONE } from '../explain.ts'

export const mqtt = [
  ...explain(
    'mqtt',
    'mqtt/properties',
    'A topic alias replaces a topic that was sent before: we look it up.',
    ['topics', '["props/by/alias"]', '["props/by/alias",""]'],
    ['topics', '["props/by/alias"]', '[""]', 2],
    ['topics', '["props/by/other"]', '["props/by/other",""]'],
    ['topics', '["props/by/other"]', '[""]', 3],
  ),
  ...explain('mqtt', 'mqtt/refusals', 'A version that does not exist: we show its number.', [
    'version',
    '9',
    NONE,
  ]),
]
