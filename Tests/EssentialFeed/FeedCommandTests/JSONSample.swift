import Foundation
import feed

/// A sample of a result, which the help of a command shows as JSON.
struct JSONSample: Sendable, CustomStringConvertible {
    /// The names of the command; none for the program itself.
    let command: [String]
    /// The position among the samples of the command.
    let index: Int
    /// The members of the result that the command never prints.
    let missing: Set<String>
    /// Reads the result from JSON, and returns it as the command prints it, with the members that have no value.
    let print: @Sendable (_ json: String) throws -> (printed: String, missing: Set<String>)

    var description: String { "\(command.joined(separator: " ")) \(index + 1)" }

    private init<Result: Codable & SendableMetatype>(
        _ command: String,
        _ result: Result.Type,
        index: Int = 0,
        without missing: Set<String> = []
    ) {
        self.command = command.split(separator: " ").map(String.init)
        self.index = index
        self.missing = missing
        print = { json in
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            let value = try decoder.decode(Result.self, from: Data(json.utf8))
            return (try value.json(isPretty: false), Self.membersWithoutValue(of: value))
        }
    }

    private static let bytes: Set<String> = ["bytes", "mediaType", "file"]

    static let all = [
        JSONSample("", ErrorResult.self),
        JSONSample("demo", ServerAddresses.self),
        JSONSample("load", FeedResult.self, without: bytes),
        JSONSample("image", ImageResult.self),
        JSONSample("comments", CommentsResult.self),
        JSONSample("watch", ImageResult.self, without: bytes),
        JSONSample("watch", CommentResult.self, index: 1),
        JSONSample("publish", PublishResult.self),
        JSONSample("edit", EditResult.self),
        JSONSample("reply", ReplyResult.self),
        JSONSample("remove", ImageRemovalResult.self),
        JSONSample("remove", CommentRemovalResult.self, index: 1),
        JSONSample("outbox list", ListResult<WaitingCommentResult>.self),
        JSONSample("serve", ServerAddresses.self, without: ["page", "inspect"]),
        JSONSample("web", ServerAddresses.self, without: ["backend"]),
        JSONSample("cluster status", ClusterStatusResult.self),
        JSONSample("cluster dead-letters list", ListResult<DeadLetterResult>.self, without: ["body"]),
        JSONSample("cluster dead-letters show", DeadLetterResult.self),
        JSONSample("token create", NewTokenResult.self),
        JSONSample("token list", ListResult<TokenResult>.self),
        JSONSample("token revoke", RevokedTokenResult.self),
        JSONSample("backup", BackupResult.self),
        JSONSample("cache show", CacheResult.self),
        JSONSample("cache remove-invalid", CacheRemovalResult.self),
        JSONSample("cache clear", CacheRemovalResult.self),
        JSONSample("graph", GraphResult.self),
    ]

    /// Returns the objects of JSON in a help, which each begin a line.
    static func texts(in help: String) -> [String] {
        var texts: [String] = []
        var open = ""
        for line in help.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            guard !open.isEmpty || line.hasPrefix("{") else { continue }
            open += line + " "
            guard (try? JSONSerialization.jsonObject(with: Data(open.utf8))) != nil else { continue }
            texts.append(open)
            open = ""
        }
        return texts
    }

    private static func membersWithoutValue(of value: Any) -> Set<String> {
        guard !(value is URL) else { return [] }
        return Mirror(reflecting: value).children.reduce(into: []) { names, member in
            let isMissing =
                Mirror(reflecting: member.value).displayStyle == .optional
                && Mirror(reflecting: member.value).children.isEmpty
            if isMissing, let name = member.label { names.insert(name) }
            names.formUnion(membersWithoutValue(of: member.value))
        }
    }
}
