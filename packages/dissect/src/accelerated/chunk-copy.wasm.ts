/** The code of chunk-copy.wat: `npm run wasm` writes it. */
export default 'AGFzbQEAAAABBwFgA39/fwACEgEGbWVtb3J5Bm1lbW9yeQIAAQMCAQAHCAEEY29weQAACiYBJAADQCACIAD9AAAA/QsAACACQRBqIQIgAEEQaiIAIAFJDQALCw=='
