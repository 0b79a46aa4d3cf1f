// Holds the write lock of the SQLite file that it is given, until it is killed.
import Database from 'libsql';

const database = new Database(process.argv[2]);
database.exec('begin immediate');
console.log('locked');
setInterval(() => {}, 60_000);
