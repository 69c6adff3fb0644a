/** All of TensorFlow.js that troupe uses, for the bundle in `dist/vendor`: ops, gradients and the plain cpu backend. */
import '@tensorflow/tfjs-core/dist/register_all_gradients.js'
import '@tensorflow/tfjs-backend-cpu'
export * from '@tensorflow/tfjs-core'
