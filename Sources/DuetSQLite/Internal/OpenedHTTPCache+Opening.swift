import GRDB

extension OpenedHTTPCache {
    /// Opens what is at a place, or makes something new there.
    ///
    /// One at a time, in all processes: what is damaged is put aside by one of those who find it so, and the others open what that
    /// one has made. It may wait for others, and is not for a thread that tasks share.
    ///
    /// - Parameters:
    ///   - wait: How long to wait for each lock of others.
    ///   - old: What was open before.
    ///   - damage: Why that has to be put aside, if it is still there.
    ///   - losses: Gets what was lost, also when nothing can be opened.
    static func open(
        _ place: HTTPCachePlace,
        waiting wait: Duration,
        inPlaceOf old: OpenedHTTPCache? = nil,
        because damage: DatabaseError? = nil,
        _ losses: inout [SQLiteHTTPCacheLoss]
    ) throws -> OpenedHTTPCache {
        if !place.isSigned {
            // No lock is made beside what is somebody else's.
            do {
                try place.checkBeforeUse(waiting: wait)
            } catch {
                // Another may have begun to make a cache there.
                guard place.isSigned else { throw error }
            }
        }
        let opening = try place.lockForOpening(within: wait)
        defer { withExtendedLifetime(opening) {} }
        let isGone = old.map { $0.identity != place.identity } ?? false
        // Before anything is opened: SQLite would take the log of one file for that of the other. Others may have done so by now.
        if isGone, let old, old.isAlone { place.remove(old.besides) }
        // While nobody makes it: half made it looks like another program's.
        try place.checkBeforeUse(waiting: wait)
        if let old, let damage, !isGone {
            // What does not fit this program's statements may be what a newer one has made of the tables.
            if let found = old.format, found > HTTPCacheSchema.version { throw place.newerFormat(found) }
            losses.append(try place.setAside(because: damage))
        }
        let lock = try place.lockOfUsers()
        let isAlone = lock.tryExclusive()
        // Only one that has just ended may still have it alone.
        guard isAlone || lock.shared(within: wait) else {
            throw SQLiteHTTPCacheError.locked(path: place.path, after: wait)
        }
        let cache: OpenedHTTPCache
        do {
            do {
                cache = try OpenedHTTPCache(place, waiting: wait, lock: lock, isAlone: isAlone, &losses)
            } catch let error as DatabaseError where error.isDamage {
                losses.append(try place.setAside(because: error))
                cache = try OpenedHTTPCache(place, waiting: wait, lock: lock, isAlone: isAlone, &losses)
            }
        } catch {
            throw place.mapped(error)
        }
        // At once, because those who open it wait for their turn.
        _ = lock.shared(within: wait)
        // Not before, because whoever cannot open anything tries again.
        if isGone { losses.append(.file(path: place.path)) }
        return cache
    }
}
