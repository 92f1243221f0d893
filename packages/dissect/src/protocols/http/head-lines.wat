;; What `HeadLines` does, 16 bytes at once, over bytes that have a shadow. See head-lines.ts for what it is given and what it leaves.
(module
  (import "memory" "memory" (memory 1))
  ;; The head begins at $start, and no line of it ends before $from. At $notes stands how many lines were noted, behind it where they
  ;; begin, for which there is room up to $room.
  (func (export "scan")
    (param $start i32) (param $end i32) (param $from i32) (param $notes i32) (param $room i32) (result i32)
    (local $at i32) (local $found v128) (local $ends i32) (local $lf i32) (local $next i32) (local $note i32)
    (local.set $at (local.get $from))
    (local.set $note (i32.add (local.get $notes) (i32.const 4)))
    (i32.store (local.get $notes) (i32.const 0))
    (block $over
      (loop $more
        (br_if $over (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $found
          (i8x16.eq
            (v128.load align=1 (local.get $at))
            (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10)))
        (if (v128.any_true (local.get $found))
          (then
            (local.set $ends (i8x16.bitmask (local.get $found)))
            (if (i32.lt_u (i32.sub (local.get $end) (local.get $at)) (i32.const 16))
              (then
                (local.set $ends
                  (i32.and
                    (local.get $ends)
                    (i32.sub
                      (i32.shl (i32.const 1) (i32.sub (local.get $end) (local.get $at)))
                      (i32.const 1))))))
            (block $none
              (loop $each
                (br_if $none (i32.eqz (local.get $ends)))
                (local.set $lf (i32.add (local.get $at) (i32.ctz (local.get $ends))))
                (local.set $ends (i32.and (local.get $ends) (i32.sub (local.get $ends) (i32.const 1))))
                (if (i32.ge_u (i32.add (local.get $lf) (i32.const 1)) (local.get $end))
                  (then (return (i32.sub (local.get $start) (local.get $lf)))))
                (local.set $next (i32.load offset=1 align=1 (local.get $lf)))
                (if (i32.eq (i32.and (local.get $next) (i32.const 0xff)) (i32.const 10))
                  (then (return (i32.sub (i32.add (local.get $lf) (i32.const 2)) (local.get $start)))))
                (if (i32.eq (i32.and (local.get $next) (i32.const 0xff)) (i32.const 13))
                  (then
                    (if (i32.ge_u (i32.add (local.get $lf) (i32.const 2)) (local.get $end))
                      (then (return (i32.sub (local.get $start) (local.get $lf)))))
                    (if (i32.eq (i32.and (local.get $next) (i32.const 0xff00)) (i32.const 0x0a00))
                      (then (return (i32.sub (i32.add (local.get $lf) (i32.const 3)) (local.get $start)))))))
                ;; In either case: "cont", "tran", "upgr".
                (local.set $next (i32.or (local.get $next) (i32.const 0x20202020)))
                (if
                  (i32.or
                    (i32.eq (local.get $next) (i32.const 0x746e6f63))
                    (i32.or
                      (i32.eq (local.get $next) (i32.const 0x6e617274))
                      (i32.eq (local.get $next) (i32.const 0x72677075))))
                  (then
                    (br_if $over (i32.ge_u (local.get $note) (local.get $room)))
                    (i32.store
                      (local.get $note)
                      (i32.sub (i32.add (local.get $lf) (i32.const 1)) (local.get $start)))
                    (local.set $note (i32.add (local.get $note) (i32.const 4)))
                    (i32.store (local.get $notes) (i32.add (i32.load (local.get $notes)) (i32.const 1)))))
                (br $each)))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $more)))
    ;; Where there was no room for a note, -1 says so.
    (if (i32.lt_u (local.get $at) (local.get $end))
      (then (i32.store (local.get $notes) (i32.const -1))))
    (i32.sub (local.get $start) (local.get $end))))
