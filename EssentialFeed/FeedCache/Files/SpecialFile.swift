/// A device, a pipe or the like is where a file or a folder should be.
struct SpecialFile: Error, CustomStringConvertible {
    let description = "It is neither a file nor a folder"
}
