;; Copies within the chunk memory, 16 bytes at a time: up to 15 more than requested, at either end.
(module
  (import "memory" "memory" (memory 1))
  (func (export "copy") (param $from i32) (param $end i32) (param $to i32)
    (loop $more
      (v128.store align=1 (local.get $to) (v128.load align=1 (local.get $from)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $more (i32.lt_u (local.tee $from (i32.add (local.get $from) (i32.const 16))) (local.get $end))))))
