import Duet
import DuetClusterEngine

extension Envelope {
    /// The position of the events that a value contains, that a query waits for, or that the end of a command has.
    var events: UInt64? {
        get { headers[Header.events].flatMap { UInt64($0) } }
        set { headers[Header.events] = newValue.map { String($0) } }
    }
}

extension ClusterEngine {
    /// The version of a value that contains what the events up to a position tell; nil for an engine without identity.
    ///
    /// All nodes have the same events. The caches and senders of this process that use one engine compare them.
    func version(at position: UInt64) -> CacheVersion? {
        guard let identity, let number = Int(exactly: position) else { return nil }
        return CacheVersion(cache: identity, number: number)
    }

    /// The position of the events that the value of a read must contain.
    func requiredPosition(of reading: Reading) -> UInt64? {
        reading.required.filter { $0.cache == identity }.map { UInt64($0.number) }.max()
    }

    var identity: UInt64? {
        guard type(of: self) is AnyClass else { return nil }
        return UInt64(UInt(bitPattern: ObjectIdentifier(self as AnyObject)))
    }
}
