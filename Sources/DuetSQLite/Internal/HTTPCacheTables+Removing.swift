import DuetHTTPCaching
import GRDB

extension HTTPCacheTables {
    func remove(_ ids: [HTTPCacheEntry.ID]) throws {
        for id in ids { try run("DELETE FROM entry WHERE id = ?") { $0.bind(id, at: 1) } }
    }

    func removeAll(uri: String) throws {
        try run("DELETE FROM entry WHERE uri = ? AND head IS NOT NULL") { $0.bind(uri, at: 1) }
    }

    func removeAll() throws {
        try run("DELETE FROM piece")
        try run("DELETE FROM entry")
    }

    /// Removes what nobody can be writing any more.
    func sweep() throws {
        try run("DELETE FROM entry WHERE head IS NULL")
    }

    /// Removes what was used longest ago until the rest fits.
    func trim() throws {
        while try size() > capacity {
            guard try run("DELETE FROM entry WHERE id = (SELECT id FROM entry ORDER BY used LIMIT 1)") > 0 else {
                return
            }
        }
    }
}
