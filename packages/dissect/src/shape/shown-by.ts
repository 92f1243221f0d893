import type { Dissector } from '../contract/dissector.ts'
import { presentShape } from './present-shape.ts'
import type { Shape } from './shape.ts'
import { shapeFields } from './shape-fields.ts'
import { ShapeWriter } from './shape-writer.ts'

/** Everything of a dissector that follows from the shape of its calls. */
export function shownBy<View>(
  name: string,
  shape: Shape<View>,
  summarize: Dissector['summarize'],
): Pick<Dissector, 'fields' | 'present' | 'write'> {
  const writer = new ShapeWriter(name, shape)
  return {
    fields: shapeFields(name, shape),
    present: (exchange) => presentShape(shape, exchange, summarize(exchange)),
    write: (exchange, summary, line) => writer.write(exchange, summary, line),
  }
}
