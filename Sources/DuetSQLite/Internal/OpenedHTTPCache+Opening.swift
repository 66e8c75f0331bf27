import GRDB

extension OpenedHTTPCache {
    /// Opens what is at a place, or makes something new there, and says what was lost.
    ///
    /// One at a time, in all processes: what is damaged is put aside by one of those who find it so, and the others open what that
    /// one has made. It may wait for others, and is not for a thread that tasks share.
    ///
    /// - Parameters:
    ///   - old: What was open before.
    ///   - damage: Why that has to be put aside, if it is still there.
    static func open(
        _ place: HTTPCachePlace,
        inPlaceOf old: OpenedHTTPCache? = nil,
        because damage: DatabaseError? = nil
    ) throws -> (OpenedHTTPCache, [SQLiteHTTPCacheLoss]) {
        try place.checkBeforeUse()
        let opening = try place.lockForOpening()
        defer { withExtendedLifetime(opening) {} }
        var losses: [SQLiteHTTPCacheLoss] = []
        if let old, old.identity != place.identity {
            losses.append(.file(path: place.path))
        } else if let old, let damage {
            // What does not fit this program's statements may be what a newer one has made of the tables.
            if let found = old.format, found > HTTPCacheSchema.version { throw place.newerFormat(found) }
            losses.append(try place.setAside(because: damage))
        }
        let lock = try place.lockOfUsers()
        let isAlone = lock.tryExclusive()
        // Only one that has just ended may still have it alone.
        guard isAlone || lock.shared(within: place.busyTimeout) else {
            throw SQLiteHTTPCacheError.locked(path: place.path, after: place.busyTimeout)
        }
        if isAlone { try place.checkAlone() }
        let cache: OpenedHTTPCache
        do {
            do {
                cache = try OpenedHTTPCache(place, lock: lock, isAlone: isAlone, &losses)
            } catch let error as DatabaseError where error.isDamage {
                losses.append(try place.setAside(because: error))
                cache = try OpenedHTTPCache(place, lock: lock, isAlone: isAlone, &losses)
            }
        } catch {
            throw place.mapped(error)
        }
        // At once, because those who open it wait for their turn.
        _ = lock.shared(within: place.busyTimeout)
        return (cache, losses)
    }
}
