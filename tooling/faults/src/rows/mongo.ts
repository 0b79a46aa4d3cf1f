import { row } from '../row.ts';

const mongo = (id: string, title: string) => row(id, title, 'mongo');

/** C. MongoDB. */
export const mongoRows = [
  mongo('C1', 'the server is killed and comes back'),
  mongo('C2', 'something accepts connections and never answers'),
  mongo('C3', 'the primary steps down'),
  mongo('C4', 'a write is done and its answer is lost, with and without the driver’s own retry'),
  mongo('C5', 'a write is done and its write concern times out'),
  mongo('C6', 'two processes create the same thread'),
  mongo('C7', 'the server’s disk is full'),
  mongo('C8', 'a message or the variables are larger than a document may be'),
  mongo('C9', 'the server is slow'),
  mongo('C10', 'the server is shutting down'),
  mongo('C11', 'the connection string asks for reads from a secondary'),
  mongo('C12', 'the server rolls a write back'),
  mongo('C13', 'the connection string asks for no or weak acknowledgement'),
  mongo('C14', 'a collection or an index is gone, or a foreign document lies under the id'),
  mongo('C15', 'a chunk is sealed late, after another process took the thread over'),
  mongo('C16', 'a thread is created where an expired one has not been removed yet'),
  mongo('C17', 'a thread is deleted while one of its chunks is being sealed'),
  mongo('C18', 'a thread grows past the size of one document'),
  row('C19', 'a process dies or freezes while it seals a chunk', 'mongo', 'process'),
  mongo('C20', 'a process dies between extending the life of the chunks and that of the thread'),
];
