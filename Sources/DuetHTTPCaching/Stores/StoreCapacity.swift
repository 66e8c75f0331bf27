/// The capacity of a store in bytes, and how it is divided.
package struct StoreCapacity: Sendable {
    /// The size of all stored responses.
    package let bytes: Int64

    package init(_ bytes: Int64) {
        self.bytes = bytes
    }

    /// The size of the largest response with its head; a larger one would displace too many others.
    package var largestResponse: Int64 { bytes / 4 }

    /// The size of all responses being written, so that at least half of the stored ones stay.
    var unfinished: Int64 { bytes / 2 }
}
