/// A page of the feed as it is on the wire.
struct HandWrittenPage: Encodable {
    let items: [HandWrittenItem]
}
