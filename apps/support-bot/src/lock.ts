import Database from 'libsql';

/** Another process that holds the write lock of the SQLite file, until it is told to let go. */
const database = new Database(process.argv[2] ?? '');
database.exec('begin immediate');
process.send?.('locked');
process.once('message', () => {
  database.exec('rollback');
  database.close();
  process.disconnect?.();
});
