/// For how many bytes a store is, and how they are shared out.
package struct StoreCapacity: Sendable {
    /// What all that is stored takes at most.
    package let bytes: Int64

    package init(_ bytes: Int64) {
        self.bytes = bytes
    }

    /// What one response takes at most, with its head: a larger one would drive out too much of what others ask for.
    package var largestResponse: Int64 { bytes / 4 }

    /// What all that is being stored takes at most where it has no room of its own: half of what is stored stays.
    var unfinished: Int64 { bytes / 2 }
}
