import Duet
import DuetHTTP

// POST api/collections, which only the administrator may send.
struct CreateCollection: HTTPCommand {
    struct Field: Codable {
        let name: String
        let type: String
        var required: Bool?
        var maxSelect: Int?
        var onCreate: Bool?
    }

    static let route: CommandRoute<Self> = .post("api/collections")

    let name: String
    var type = "base"
    // Everybody reads; without a rule for writing, only the administrator writes.
    var listRule = ""
    var viewRule = ""
    let fields: [Field]

    /// The collection of the guide.
    static let speakers = CreateCollection(
        name: "speakers",
        fields: [
            Field(name: "name", type: "text", required: true),
            Field(name: "talks", type: "number"),
            Field(name: "photo", type: "file", maxSelect: 1),
            Field(name: "created", type: "autodate", onCreate: true),
        ]
    )
}
