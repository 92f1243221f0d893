import { useMutation } from '@tanstack/react-query'
import { HubProblem } from '../../client/hub-problem.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'

export interface DeleteDialogProps {
  /** Such as `the snapshot shop-1`. */
  readonly thing: string
  readonly consequence: string
  /** What is deleted along with it, known before the question is asked. */
  readonly along?: string | undefined
  /** What `force` would take along, asked about only when the hub refuses without; absent: nothing can be forced. */
  readonly forcing?: string
  readonly onDelete: (force: boolean) => Promise<unknown>
  readonly onClose: () => void
}

export function DeleteDialog({ thing, consequence, along, forcing, onDelete, onClose }: DeleteDialogProps) {
  const remove = useMutation({ mutationFn: onDelete, onSuccess: onClose })
  const mustForce = forcing !== undefined && remove.error instanceof HubProblem && remove.error.status === 409
  return (
    <Dialog
      title={`Delete ${thing}?`}
      onClose={onClose}
      onSubmit={() => {
        if (!remove.isPending) remove.mutate(mustForce || along !== undefined)
      }}
    >
      {remove.error && <ProblemNote problem={mustForce ? new Error(remove.error.message) : remove.error} />}
      {along && <p>{along}</p>}
      <p className="soft">{mustForce ? forcing : consequence}</p>
      <div className="actions">
        <Button onClick={onClose} autoFocus>
          Keep
        </Button>
        <Button type="submit" look="danger" icon="trash" busy={remove.isPending}>
          {mustForce ? 'Delete all the same' : 'Delete'}
        </Button>
      </div>
    </Dialog>
  )
}
