import Foundation

struct InMemoryContents: Sendable {
    private struct Item {
        let key: HTTPCacheKey
        let entry: HTTPCacheEntry
        let body: Data
        let size: Int64

        init(_ entry: HTTPCacheEntry, _ body: Data, for key: HTTPCacheKey) {
            self.key = key
            self.entry = entry
            self.body = body
            size = Int64(body.count) + entry.response.approximateSize + key.size
        }
    }

    let capacity: StoreCapacity
    private(set) var size: Int64 = 0
    /// The number of bytes that writers hold, which count against the capacity.
    private var reserved: Int64 = 0
    private var items: [HTTPCacheEntry.ID: Item] = [:]
    /// IDs by URI and partition.
    private var ids: [HashedURI: [String: [HTTPCacheEntry.ID]]] = [:]
    private var order = UseOrder<HTTPCacheEntry.ID>()
    private var lastID: HTTPCacheEntry.ID = 0

    init(capacity: StoreCapacity) {
        self.capacity = capacity
    }

    func entries(for key: HTTPCacheKey) -> [HTTPCacheEntry] {
        ids[key.hashedURI]?[key.partition]?.reversed().compactMap { items[$0]?.entry } ?? []
    }

    /// Reserves room for the bytes of a writer; false if writers hold too many.
    mutating func reserve(_ count: Int64) -> Bool {
        guard count <= capacity.unfinished - reserved else { return false }
        reserved += count
        trim()
        return true
    }

    mutating func release(_ count: Int64) {
        reserved -= count
    }

    func body(of id: HTTPCacheEntry.ID) -> Data? {
        items[id]?.body
    }

    mutating func insert(
        _ response: StoredResponse,
        _ body: Data?,
        for key: HTTPCacheKey,
        replacing replaced: [HTTPCacheEntry.ID]
    ) -> HTTPCacheEntry? {
        replaced.forEach { remove($0) }
        guard let body else { return nil }
        lastID += 1
        let item = Item(HTTPCacheEntry(id: lastID, response: response), body, for: key)
        guard item.size <= capacity.largestResponse else { return nil }
        items[lastID] = item
        ids[key.hashedURI, default: [:]][key.partition, default: []].append(lastID)
        order.use(lastID)
        size += item.size
        trim()
        return item.entry
    }

    mutating func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) {
        guard let old = items[id] else { return }
        let new = Item(HTTPCacheEntry(id: id, response: response), old.body, for: old.key)
        items[id] = new
        size += new.size - old.size
        order.use(id)
        trim()
    }

    mutating func markUsed(_ id: HTTPCacheEntry.ID) {
        guard items[id] != nil else { return }
        order.use(id)
    }

    mutating func remove(_ id: HTTPCacheEntry.ID) {
        guard let item = items.removeValue(forKey: id) else { return }
        size -= item.size
        order.remove(id)
        guard var remaining = ids.removeValue(forKey: item.key.hashedURI) else { return }
        remaining[item.key.partition]?.removeAll { $0 == id }
        if remaining[item.key.partition]?.isEmpty == true { remaining[item.key.partition] = nil }
        if !remaining.isEmpty { ids[item.key.hashedURI] = remaining }
    }

    mutating func removeAll(uri: HashedURI) {
        ids[uri]?.values.joined().forEach { remove($0) }
    }

    mutating func removeAll(prefix: String) {
        ids.keys.filter { $0.text.utf8.starts(with: prefix.utf8) }.forEach { removeAll(uri: $0) }
    }

    mutating func removeAll() {
        (size, items, ids, order) = (0, [:], [:], UseOrder())
    }

    private mutating func trim() {
        while size > capacity.bytes - reserved, let id = order.first { remove(id) }
    }
}
