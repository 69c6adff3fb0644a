/**
 * The one door to TensorFlow.js. Everything in `agents/` takes `tf` from here, so that a backend is a choice made once,
 * outside (results/backend.ts in Node): nothing below knows which one runs. `#tensorflow` is the bundle that
 * scripts/vendor.mjs makes.
 */
import * as tf from '#tensorflow'

tf.env().set('PROD', true) // silences the advertisement for tfjs-node that the cpu backend prints on first use

export { tf }
