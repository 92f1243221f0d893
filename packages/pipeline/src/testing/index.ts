export {
  type MadeCapture,
  madeCaptures,
  madeInventory,
  type TwoNodeCapture,
  twoNodeCaptures,
} from './made-captures.ts'
